package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SyntheticShapeTest {

    /** The numbers of parameters that the models are published with. */
    @ParameterizedTest
    @CsvSource({
        "llama2-7b, Llama-2-7b, 6738415616",
        "llama2-13b, Llama-2-13b, 13015864320",
        "llama2-70b, Llama-2-70b, 68976648192"
    })
    void namedShapesHaveThePublishedNumberOfParameters(String text, String name, long parameters) {
        LlamaConfig config = SyntheticShape.parse(text);
        assertThat(config.name()).isEqualTo(name);
        assertThat(config.parameters()).isEqualTo(parameters);
    }

    @Test
    void aNamedShapeCanBeChanged() {
        LlamaConfig config = SyntheticShape.parse("llama2-7b,layers=2,context=512");
        assertThat(config.name()).isEqualTo("Llama-2-7b (layers 2, context 512)");
        assertThat(config.layers()).isEqualTo(2);
        assertThat(config.context()).isEqualTo(512);
        assertThat(config.hidden()).isEqualTo(4096);
    }

    @Test
    void everyShapeCanBeGivenByItsNumbers() {
        LlamaConfig config =
                SyntheticShape.parse("hidden=256,intermediate=688,layers=4,heads=8,kvHeads=4,vocab=2048,context=2048");
        LlamaConfig tiny = SyntheticShape.parse("tiny");
        assertThat(config).usingRecursiveComparison().ignoringFields("name").isEqualTo(tiny);
        assertThat(SyntheticShape.parse("hidden=64,intermediate=96,layers=1,heads=4,vocab=99,context=9")
                        .kvHeads())
                .isEqualTo(4);
    }

    @Test
    void cacheBytesPerToken() {
        assertThat(SyntheticShape.parse("llama2-7b").cacheBytesPerToken(Dtype.FP16))
                .isEqualTo(524_288);
        assertThat(SyntheticShape.parse("llama2-70b").cacheBytesPerToken(Dtype.FP16))
                .isEqualTo(327_680);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "llama2-7 | model synthetic:llama2-7 is not known: did you mean synthetic:llama2-7b? The shapes are tiny,"
                        + " llama2-7b, llama2-13b, llama2-70b, or give"
                        + " hidden=...,intermediate=...,layers=...,heads=...,kvHeads=...,vocab=...,context=...",
                "tiny,layer=2 | model synthetic:tiny,layer=2 has no key \"layer\": did you mean layers? The keys are hidden,"
                        + " intermediate, layers, heads, kvHeads, vocab, context",
                "tiny,layers=x | model synthetic:tiny,layers=x: layers = x must be a whole number from 1 on",
                "tiny,layers=0 | model synthetic:tiny,layers=0: layers = 0 must be a whole number from 1 on",
                "tiny,layers | model synthetic:tiny,layers: layers = (empty) must be a whole number from 1 on",
                "hidden=64,heads=4 | model synthetic:hidden=64,heads=4 lacks intermediate: give it, or start from a named"
                        + " shape such as synthetic:tiny",
                "tiny,heads=7 | model synthetic:tiny,heads=7: hidden = 256 must be a multiple of heads = 7",
                "tiny,kvHeads=3 | num_key_value_heads = 3 must divide num_attention_heads = 8; correct it in the model's"
                        + " shape (config.json, or the text after synthetic:)",
                "tiny,vocab=1 | bos_token_id = 1 must be below vocab_size = 1; correct it in the model's shape"
                        + " (config.json, or the text after synthetic:)"
            })
    void whatMakesNoModelIsRefusedByName(String text, String message) {
        assertThatThrownBy(() -> SyntheticShape.parse(text))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message);
    }
}
