package io.github.latencybudget.policy;

import java.util.Locale;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads a YAML file into values that know where they stand. */
final class Yaml {

    private Yaml() {}

    /** @throws PolicyException where it is empty, no YAML, or has anchors */
    static Value read(PolicySource source) {
        String file = source.path();
        Node node = compose(file, source.text())
                .orElseThrow(() -> new PolicyException(String.format(
                        Locale.ROOT,
                        "%s is empty: a policy has at least `version`, `targets` and `rules` or `extends`",
                        file)));
        Value value = new Value(file, "", node);
        refuseAnchors(value, node);
        return value;
    }

    private static Optional<Node> compose(String file, String text) {
        try {
            return new Compose(LoadSettings.builder().setLabel(file).build()).composeString(text);
        } catch (MarkedYamlEngineException e) {
            Mark mark = e.getProblemMark().or(e::getContextMark).orElse(null);
            Position position = mark == null
                    ? new Position(file, 1, 1)
                    : new Position(file, mark.getLine() + 1, mark.getColumn() + 1);
            throw position.error(String.format(Locale.ROOT, "not YAML: %s", problem(e)));
        } catch (YamlEngineException e) {
            throw new PolicyException(String.format(Locale.ROOT, "%s is not YAML: %s", file, e.getMessage()));
        } catch (StackOverflowError e) {
            throw new PolicyException(
                    String.format(Locale.ROOT, "%s is nested too deeply: a policy has a few levels", file));
        }
    }

    /** A key that begins with {@code *} or {@code !} and has no quotes around it is an alias or a tag to YAML. */
    private static String problem(MarkedYamlEngineException e) {
        return String.valueOf(e.getProblem())
                .replaceAll(
                        "(?s)(undefined (?:alias|tag handle)).*",
                        "$1 (not printed, because it may be a key); put quotes around a text that begins with * or !");
    }

    /** A few aliases of aliases are a billion values, and who reads a policy shall see all of it. */
    private static void refuseAnchors(Value value, Node node) {
        if (node.getAnchor().isPresent()) {
            throw new Value(value.file(), "", node)
                    .position()
                    .error("anchors are not allowed; write the value at each place where it is meant");
        }
        if (node instanceof SequenceNode sequence) {
            sequence.getValue().forEach(n -> refuseAnchors(value, n));
        } else if (node instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                refuseAnchors(value, tuple.getKeyNode());
                refuseAnchors(value, tuple.getValueNode());
            }
        }
    }
}
