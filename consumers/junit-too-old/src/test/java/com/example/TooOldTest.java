package com.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

class TooOldTest {

    private static final String NEEDED = "Latency Budget needs JUnit 5.13 or later, and found JUnit 5.12";

    @Test
    void aTestWithoutAGateRuns() {}

    @Test
    void aGateSaysWhatItNeeds() {
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(GateSlaTest.class))
                .execute()
                .testEvents()
                .failed()
                .assertThatEvents()
                .hasSize(1)
                .allSatisfy(event -> assertThat(event.getPayload().orElseThrow().toString()).contains(NEEDED));
    }
}
