package com.example.chat;

import io.github.latencybudget.junit.LatencyPolicies;

/** Stands for the policies on the class path, which are in {@code src/test/resources}: Surefire selects tests by their classes. */
@LatencyPolicies
class TeamPolicyTest {}
