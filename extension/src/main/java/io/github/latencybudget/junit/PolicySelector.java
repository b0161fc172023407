package io.github.latencybudget.junit;

import io.github.latencybudget.policy.PolicySource;
import java.util.Optional;
import org.junit.platform.engine.DiscoverySelector;

/**
 * Selects one policy.
 *
 * @param source the policy; empty where there is no such file
 * @param location what it is called
 * @param anchor the class that stands for it; empty where it was selected by itself
 */
record PolicySelector(Optional<PolicySource> source, String location, Optional<String> anchor)
        implements DiscoverySelector {}
