package com.example;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

@SpringBootTest(classes = ApplicationTest.App.class)
class ApplicationTest {

    @SpringBootApplication
    static class App {}

    @Autowired
    private ApplicationContext context;

    @Test
    void starts() {
        assertThat(context.getBean(App.class)).isNotNull();
    }
}
