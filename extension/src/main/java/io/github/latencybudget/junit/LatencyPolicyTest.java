package io.github.latencybudget.junit;

import org.apiguardian.api.API;

/**
 * All policies on the class path, for projects that have no test class of their own: Surefire and Failsafe find it by
 * {@code dependenciesToScan}.
 */
@LatencyPolicies
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class LatencyPolicyTest {

    private LatencyPolicyTest() {}
}
