package io.github.latencybudget.record;

import java.util.Objects;
import org.apiguardian.api.API;

/**
 * Which gate: the same from run to run.
 *
 * @param className the test class, by its binary name, or the location of a policy, such as {@code latency-budget.yaml}
 * @param methodName the test method, with its parameter types, such as {@code holds(Measurement)}, or a target of the policy
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GateId(String className, String methodName) implements Comparable<GateId> {

    /** @throws NullPointerException without a class or a method */
    public GateId {
        Objects.requireNonNull(className, "className");
        Objects.requireNonNull(methodName, "methodName");
    }

    /** {@return the class without its package, or a policy's file without its folder and its end} */
    public String simpleClassName() {
        String name = className.replaceFirst("\\.ya?ml$", "");
        return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1);
    }

    @Override
    public int compareTo(GateId other) {
        int byClass = className.compareTo(other.className);
        return byClass != 0 ? byClass : methodName.compareTo(other.methodName);
    }

    /** {@return such as {@code com.example.ChatSlaTest#holds(Measurement)}} */
    @Override
    public String toString() {
        return className + "#" + methodName;
    }
}
