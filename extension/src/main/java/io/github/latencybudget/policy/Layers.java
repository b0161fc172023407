package io.github.latencybudget.policy;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A policy file on top of the ready policies that it extends. What it says wins: a value over a value, a rule over the rule with its
 * id, a target over the target with its name, a key of the scenario over that key.
 *
 * @param source the file itself
 * @param sections the farthest first, the file itself last
 */
record Layers(PolicySource source, List<Section> sections) {

    private static final String READY = "META-INF/latency-budget/ready/";
    private static final int VERSION = 1;

    /** @throws PolicyException where one of them cannot be read, or there is none of a name, or several */
    static Layers of(PolicySource source) {
        List<Section> sections = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        Section section = top(source);
        sections.add(section);
        while (section.get("extends").isPresent()) {
            Value name = section.get("extends").orElseThrow();
            String ready = name.text("name one ready policy, such as `team-sla`");
            name.require(names.add(ready), "it extends itself; leave it out");
            section = top(ready(name, ready));
            sections.add(0, section);
        }
        return new Layers(source, sections);
    }

    private static Section top(PolicySource source) {
        Section section = Yaml.read(source).section(Vocabulary.POLICY);
        section.require("version", String.format(Locale.ROOT, "write `version: %d` first", VERSION))
                .require(
                        section.get("version").orElseThrow().number(String.format(Locale.ROOT, "it is %d", VERSION))
                                == VERSION,
                        String.format(Locale.ROOT, "this version of Latency Budget reads version %d", VERSION));
        return section;
    }

    private static PolicySource ready(Value value, String name) {
        value.require(name.matches("[A-Za-z0-9_-]+"), "a ready policy's name has letters, digits, `-` and `_`");
        String resource = READY + name + ".yaml";
        List<URL> urls = new ArrayList<>();
        try {
            Enumeration<URL> found = loader().getResources(resource);
            while (found.hasMoreElements()) {
                urls.add(found.nextElement());
            }
        } catch (IOException e) {
            throw value.wrong(String.format(Locale.ROOT, "the class path cannot be searched (%s)", e.getMessage()));
        }
        value.require(!urls.isEmpty(), String.format(Locale.ROOT, "there is no %s on the class path", resource));
        value.require(
                urls.size() == 1,
                String.format(Locale.ROOT, "there are %d of %s on the class path; keep one", urls.size(), resource));
        return new PolicySource(resource, urls.get(0));
    }

    private static ClassLoader loader() {
        return Optional.ofNullable(Thread.currentThread().getContextClassLoader())
                .orElse(Layers.class.getClassLoader());
    }

    /** {@return the file itself} */
    Section own() {
        return sections.get(sections.size() - 1);
    }

    /** {@return the value that wins} */
    Optional<Value> get(String key) {
        return last(sections, key);
    }

    private static Optional<Value> last(List<Section> sections, String key) {
        return sections.stream().flatMap(s -> s.get(key).stream()).reduce((a, b) -> b);
    }

    /** {@return the section that all of them make up} */
    Section merged(String key, Vocabulary part) {
        List<Section> all = sections.stream()
                .flatMap(s -> s.get(key).stream())
                .map(v -> v.section(part))
                .toList();
        Map<String, Value> entries = new LinkedHashMap<>();
        all.forEach(s -> entries.putAll(s.entries()));
        return new Section(
                all.isEmpty() ? own().value() : all.get(all.size() - 1).value(), entries);
    }

    /** {@return the named values that all of them make up, without those that a closer one leaves out} */
    Map<String, Value> named(String key, String allowed) {
        Map<String, Value> all = new LinkedHashMap<>();
        for (Section section : sections) {
            if (key.equals("rules")) {
                section.get("without").ifPresent(without -> leaveOut(without, all));
            }
            section.get(key).ifPresent(v -> all.putAll(v.entries(allowed)));
        }
        return all;
    }

    private static void leaveOut(Value without, Map<String, Value> rules) {
        for (Value id : without.list()) {
            String name = id.text("name rules of the policy that is extended");
            id.require(
                    rules.remove(name) != null,
                    String.format(
                            Locale.ROOT, "what is extended has no such rule; it has %s", Section.list(rules.keySet())));
        }
    }
}
