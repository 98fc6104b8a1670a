package io.quorate.operations;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.membership.layout.Layout;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.RecordedIdentity;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class RemovedNodeTests {

	private final Queue<String> done = new ConcurrentLinkedQueue<>();

	private boolean hasLeft;

	private boolean hasServed;

	private final RecordedIdentity identity = new RecordedIdentity(new UUID(1, 2), FormatLevel.NEWEST);

	private static Layout layout(long version, String... members) {
		return new Layout(version, List.of(), Ring.of(List.of(members).stream().map(Member::of).toList(), 2));
	}

	private final RemovedNode node = new RemovedNode(() -> this.hasLeft, () -> this.hasServed, this.identity,
			() -> this.done.add("ended, given up: " + this.identity.abandoned()));

	private void awaitEnd() {
		Awaitility.await().untilAsserted(() -> assertThat(this.done).containsExactly("ended, given up: 1"));
	}

	@Test
	void aNodeThatWasRemovedWhileItWasAwayEndsOnce() {
		this.node.adopted(layout(2, "n0", "n1", "n2", "n3"));
		assertThat(this.done).isEmpty();
		this.hasLeft = true;
		this.node.adopted(layout(3, "n0", "n1", "n3"));
		awaitEnd();
		this.node.adopted(layout(4, "n0", "n1"));
		awaitThread();
		assertThat(this.done).hasSize(1);
	}

	private static void awaitThread() {
		Awaitility.await()
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("removed-node")));
	}

	/* It would join again before an operator stops it. */
	@Test
	void aMemberThatIsRemovedWhileItRunsWaitsToBeStopped() {
		this.hasServed = true;
		this.hasLeft = true;
		this.node.adopted(layout(3, "n0", "n1"));
		Awaitility.await().until(() -> this.identity.abandoned() == 1);
		awaitThread();
		assertThat(this.done).isEmpty();
	}

	private static List<Exception> failures() {
		return List.of(new IOException("disk full"), new IllegalStateException("a bug"));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aNodeWhoseDirectoryCannotBeMarkedEndsToo(Exception failure) {
		this.identity.fail(failure);
		this.hasLeft = true;
		this.node.adopted(layout(2, "n0", "n1"));
		awaitEnd();
	}

}
