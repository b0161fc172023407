package com.example;

import static io.github.latencybudget.assertj.LatencyAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.trace.Measurement;
import org.junit.jupiter.api.Test;

class OwnTimingsTest {

    @Test
    void nothingMeasuredIsNoPass() {
        Measurement none = null;
        assertThatThrownBy(() -> assertThat(none).isNotNull()).isInstanceOf(AssertionError.class);
    }
}
