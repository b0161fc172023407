package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link CleanlinessTest} holds of the processor holds of a GPU and its memory. */
@Tag("gpu")
class DeviceCleanlinessTest {

    private static final String MODEL = "synthetic:tiny";
    private static final long ALLOWED_BYTES = 16 << 20;

    @BeforeEach
    void assumeCuda() {
        Models.assumeCuda();
    }

    private static long[] ids(LlamaSession session, int output) {
        LongStream.Builder ids = LongStream.builder();
        long[] prompt = new Prompts(1, 2048, Set.of(2), 42).prompt(48, 1);
        session.generate(prompt, new StopCondition(output, true, Set.of()), ids);
        return ids.build().toArray();
    }

    @Test
    void twoHundredModelsGiveTheirMemoryBack() {
        long[] used = new long[200];
        for (int i = 0; i < used.length; i++) {
            try (LlamaSession session = Models.open(MODEL, "cuda:0", i % 2 == 0 ? "fp16" : "fp32", "decode=kernels")) {
                ids(session, 8);
                used[i] = session.deviceMemoryBytes().orElseThrow();
            }
        }
        System.out.printf("device memory of model 50: %d bytes, of model 200: %d bytes%n", used[49], used[199]);
        assertThat(used[199] - used[49]).as("growth in bytes").isLessThan(ALLOWED_BYTES);
    }

    @Test
    void aHundredThousandTokensLeaveTheDeviceMemoryFlat() {
        Assumptions.assumeTrue(Boolean.getBoolean("manyTokens"), "-DmanyTokens=true is not set");
        try (LlamaSession session = Models.open(MODEL, "cuda:0", "fp16", "decode=kernels")) {
            long[] first = ids(session, 1000);
            long before = session.deviceMemoryBytes().orElseThrow();
            for (int i = 0; i < 99; i++) {
                assertThat(ids(session, 1000)).isEqualTo(first);
            }
            long after = session.deviceMemoryBytes().orElseThrow();
            System.out.printf("device memory after 1,000 tokens: %d bytes, after 100,000: %d bytes%n", before, after);
            assertThat(after - before).as("growth in bytes").isLessThan(ALLOWED_BYTES);
        }
    }

    @Test
    void twoModelsOnOneDeviceGenerateWhatEachGeneratesAlone() {
        long[] one;
        long[] other;
        String wide = "synthetic:hidden=512,intermediate=1024,layers=3,heads=8,kvHeads=2,vocab=2048,context=2048";
        try (LlamaSession session = Models.open(MODEL, "cuda:0", "fp16")) {
            one = ids(session, 200);
        }
        try (LlamaSession session = Models.open(wide, "cuda:0", "fp16")) {
            other = ids(session, 200);
        }
        try (LlamaSession first = Models.open(MODEL, "cuda:0", "fp16");
                LlamaSession second = Models.open(wide, "cuda:0", "fp16")) {
            for (int i = 0; i < 3; i++) {
                assertThat(ids(first, 200)).isEqualTo(one);
                assertThat(ids(second, 200)).isEqualTo(other);
            }
        }
    }
}
