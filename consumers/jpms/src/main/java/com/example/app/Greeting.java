package com.example.app;

/** Something to have a module for. */
public final class Greeting {

    private Greeting() {}

    /** {@return a word} */
    public static String word() {
        return "hello";
    }
}
