package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.kqueue.KQueue;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which system call waits for bytes depends on the natives on the class path, and stands in the record. */
@Timeout(60)
class EventLoopTest {

    private static String client() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));
                TargetSession session = Requests.open(server.url(), Map.of())) {
            assertThat(Requests.run(session, 8, 4, true, 1).reason()).isEmpty();
            return session.description().details().get("client");
        }
    }

    @Test
    void epollIsUsedWhereItsNativesAre() {
        assumeTrue(Epoll.isAvailable(), () -> "no natives of epoll: " + Epoll.unavailabilityCause());

        assertThat(client()).isEqualTo("Netty over epoll");
    }

    @Test
    void kqueueIsUsedWhereItsNativesAre() {
        assumeTrue(KQueue.isAvailable(), () -> "no natives of kqueue: " + KQueue.unavailabilityCause());

        assertThat(client()).isEqualTo("Netty over kqueue");
    }

    @Test
    void withoutNativesItIsNio() {
        assumeFalse(Epoll.isAvailable() || KQueue.isAvailable(), "there are natives");

        assertThat(client()).isEqualTo("Netty over NIO");
    }
}
