package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GpuProcessesTest {

    private static final long OWN = 100;

    private final GpuProcesses processes = new GpuProcesses(
            id -> id == OWN || id == OWN + 1, id -> id == 4711 ? Optional.of("python3") : Optional.empty());

    @Test
    void thisProcessAndThoseItHasStartedAreNoOthers() {
        look(OWN, OWN + 1);

        assertThat(processes.others()).isEmpty();
        assertThat(processes.unread()).isEmpty();
    }

    @Test
    void othersAreNamedAndStayNamedAfterTheyEnded() {
        look(OWN, 4711);
        look(OWN);
        look(OWN, 12, 4711);

        assertThat(processes.others()).containsExactly("a process (pid 12)", "python3 (pid 4711)");
        assertThat(processes.unread()).isEmpty();
    }

    @Test
    void manyAreCounted() {
        look(LongStream.concat(LongStream.of(OWN), LongStream.range(1000, 1020)).toArray());

        assertThat(processes.others()).hasSize(17).endsWith("a process (pid 1015)", "4 more");
    }

    /** In a container the numbers may be those of the host: one of them may be this process, and no more than one. */
    @Test
    void ofSeveralThatAreUnknownHereAtMostOneIsThisOne() {
        look(7, 8, 9);

        assertThat(processes.others())
                .containsExactly("at least 2 of 3 that are listed by numbers of another PID namespace");
        assertThat(processes.unread()).isEmpty();
    }

    @Test
    void oneThatIsUnknownHereMayBeThisOne() {
        look(7);

        assertThat(processes.others()).isEmpty();
        assertThat(processes.unread())
                .contains(
                        "the driver lists one process on the GPU by a number that is not this one's, as in a container with a PID namespace of its own: it may be this one; share the host's, such as with docker run --pid=host");
    }

    @Test
    void anEmptyListSaysNothingOfOthers() {
        look();

        assertThat(processes.others()).isEmpty();
        assertThat(processes.unread())
                .contains(
                        "the driver lists no process on the GPU, not even this one, as in a container with a PID namespace of its own; share the host's, such as with docker run --pid=host");
    }

    @Test
    void withoutAListNothingIsKnown() {
        processes.look(Optional.empty());

        assertThat(processes.unread()).contains("the driver does not list the processes on this device");
    }

    @Test
    void thisJvmIsItsOwnAndItsParentIsNot() {
        GpuProcesses real = GpuProcesses.besideThisOne();

        real.look(Optional.of(new long[] {ProcessHandle.current().pid(), 1}));

        assertThat(real.others()).singleElement().asString().endsWith(" (pid 1)");
    }

    private void look(long... ids) {
        processes.look(Optional.of(ids));
    }
}
