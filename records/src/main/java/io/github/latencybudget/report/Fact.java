package io.github.latencybudget.report;

/** A name and its value, as the report prints them. */
record Fact(String name, String value) {}
