package io.github.latencybudget.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads what a policy is measured on. */
final class TargetReader {

    private static final String TEXT = "it is a text, as the attribute of @InferenceTarget is";

    private TargetReader() {}

    static PolicyTarget read(String name, Value value) {
        value.require(
                name.matches("[A-Za-z0-9][A-Za-z0-9._-]*"),
                "a target's name has letters, digits, `.`, `-` and `_`, for reports and test ids have it");
        Section target = value.section(Vocabulary.TARGET);
        return new PolicyTarget(
                name,
                target.get("type").map(v -> v.text("it is the name of a class that implements Target")),
                text(target, "model"),
                text(target, "device"),
                text(target, "dtype"),
                text(target, "seed"),
                target.get("options").map(TargetReader::options).orElse(List.of()),
                target.get("gpu").map(TargetReader::isGpuRequired),
                value.position());
    }

    private static String text(Section target, String key) {
        return target.get(key).map(v -> v.text(TEXT)).orElse("");
    }

    private static List<String> options(Value value) {
        List<String> options = new ArrayList<>();
        Map<String, Value> entries = value.entries("options have names and values, such as {threads: 2}");
        entries.forEach(
                (name, option) -> options.add(name + "=" + option.text("an option's value is a text or a number")));
        return options;
    }

    private static boolean isGpuRequired(Value value) {
        String gpu = value.text("it is `required` or `auto`");
        value.require(gpu.equals("required") || gpu.equals("auto"), "it is `required` or `auto`");
        return gpu.equals("required");
    }
}
