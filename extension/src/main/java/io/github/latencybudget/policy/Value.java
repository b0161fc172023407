package io.github.latencybudget.policy;

import io.github.latencybudget.trace.Guarded;
import io.github.latencybudget.trace.OneLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A value of a policy file, and where it stands.
 *
 * @param path what it is called, from the top, such as {@code rules.itl-p95.percentile}
 */
record Value(String file, String path, Node node) {

    private static final Set<Tag> NUMBERS = Set.of(Tag.INT, Tag.FLOAT);

    Position position() {
        return position(node);
    }

    private Position position(Node of) {
        return of.getStartMark()
                .map(m -> new Position(file, m.getLine() + 1, m.getColumn() + 1))
                .orElse(new Position(file, 1, 1));
    }

    /** {@return the error of a value that is not allowed} */
    PolicyException wrong(String allowed) {
        return position().error(String.format(Locale.ROOT, "%s is not allowed; %s", shown(), allowed));
    }

    private String shown() {
        if (path.isEmpty()) {
            return "what stands here";
        }
        if (!(node instanceof ScalarNode scalar)) {
            return String.format(Locale.ROOT, "`%s`", path);
        }
        String value = scalar.getValue();
        return mayBeKey(value)
                ? Guarded.unsaid("`" + path + "`")
                : String.format(Locale.ROOT, "`%s = %s`", path, OneLine.of(Guarded.model(value), 100));
    }

    /** The options of a target hold keys, and what is indented wrongly below a target may be one of them. */
    private boolean mayBeKey(String value) {
        return path.startsWith("targets") && !path.endsWith(".model") && !Guarded.isPlain(value);
    }

    void require(boolean isAllowed, String allowed) {
        if (!isAllowed) {
            throw wrong(allowed);
        }
    }

    String text(String allowed) {
        require(node instanceof ScalarNode && !node.getTag().equals(Tag.NULL), allowed);
        String text = ((ScalarNode) node).getValue().strip();
        require(!text.isEmpty(), allowed);
        require(!text.startsWith("${"), "environment variables are not put in; leave it out, and give it as a setting");
        return text;
    }

    double number(String allowed) {
        require(NUMBERS.contains(node.getTag()) && node instanceof ScalarNode, allowed);
        try {
            return Double.parseDouble(((ScalarNode) node).getValue());
        } catch (NumberFormatException e) {
            throw wrong(allowed);
        }
    }

    int wholeNumber(int least, String allowed) {
        double number = number(allowed);
        require(number == Math.rint(number) && number >= least && number <= Integer.MAX_VALUE, allowed);
        return (int) number;
    }

    boolean isTrue(String allowed) {
        require(node instanceof ScalarNode && node.getTag().equals(Tag.BOOL), allowed);
        return Boolean.parseBoolean(((ScalarNode) node).getValue());
    }

    /** {@return the values of a list; a single value is a list of one} */
    List<Value> list() {
        if (!(node instanceof SequenceNode sequence)) {
            return List.of(this);
        }
        List<Value> values = new ArrayList<>();
        for (Node element : sequence.getValue()) {
            values.add(new Value(file, String.format(Locale.ROOT, "%s[%d]", path, values.size()), element));
        }
        return values;
    }

    boolean isMapping() {
        return node instanceof MappingNode;
    }

    /** {@return the entries of a mapping by their keys, of which each stands there once} */
    Map<String, Value> entries(String allowed) {
        require(isMapping(), allowed);
        Map<String, Value> entries = new LinkedHashMap<>();
        for (NodeTuple tuple : ((MappingNode) node).getValue()) {
            Value key = new Value(file, path, tuple.getKeyNode());
            String name = key.text("a key is a text");
            String inside = path.isEmpty() ? name : path + "." + name;
            if (entries.put(name, new Value(file, inside, tuple.getValueNode())) != null) {
                throw key.position()
                        .error(String.format(Locale.ROOT, "`%s` stands here twice; keep one of them", inside));
            }
        }
        return entries;
    }

    /** {@return where a key of this mapping stands} */
    Position keyPosition(String name) {
        return ((MappingNode) node)
                .getValue().stream()
                        .map(NodeTuple::getKeyNode)
                        .filter(k -> k instanceof ScalarNode scalar
                                && scalar.getValue().equals(name))
                        .map(this::position)
                        .findFirst()
                        .orElseGet(this::position);
    }

    Section section(Vocabulary part) {
        return Section.of(this, part.words(), part.keys());
    }
}
