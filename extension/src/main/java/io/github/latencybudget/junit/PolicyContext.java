package io.github.latencybudget.junit;

import java.time.Clock;
import java.time.LocalDate;
import org.apiguardian.api.API;
import org.junit.platform.engine.support.hierarchical.EngineExecutionContext;

/** What all policies of a run share. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class PolicyContext implements EngineExecutionContext {

    private final Settings settings;
    private final SessionState session;

    PolicyContext(Settings settings, SessionState session) {
        this.settings = settings;
        this.session = session;
    }

    Settings settings() {
        return settings;
    }

    SessionState session() {
        return session;
    }

    LocalDate today() {
        return LocalDate.now(Clock.systemUTC());
    }
}
