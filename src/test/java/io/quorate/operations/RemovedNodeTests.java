package io.quorate.operations;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.membership.Layout;
import io.quorate.membership.Layouts;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.storage.StoreIdentity;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RemovedNodeTests {

	private final Queue<String> done = new ConcurrentLinkedQueue<>();

	private boolean isBehind;

	private @Nullable IOException failure;

	private final StoreIdentity identity = new StoreIdentity() {

		@Override
		public UUID storageId() {
			return new UUID(1, 2);
		}

		@Override
		public boolean isNew() {
			return false;
		}

		@Override
		public void settle() {
		}

		@Override
		public void abandon() throws IOException {
			RemovedNodeTests.this.done.add("abandoned");
			if (RemovedNodeTests.this.failure != null) {
				throw RemovedNodeTests.this.failure;
			}
		}

	};

	private static Layout layout(long version, String... members) {
		return new Layout(version, List.of(), Ring.of(List.of(members).stream().map(Member::of).toList(), 2));
	}

	private RemovedNode node(Layout first) {
		return new RemovedNode(new Layouts("n2", first), () -> this.isBehind, this.identity,
				() -> this.done.add("ended"));
	}

	private void awaitEnd() {
		Awaitility.await().untilAsserted(() -> assertThat(this.done).containsExactly("abandoned", "ended"));
	}

	@Test
	void aMemberThatIsRemovedBeginsAnew() {
		RemovedNode node = node(layout(1, "n0", "n1", "n2"));
		node.adopted(layout(2, "n0", "n1", "n2", "n3"));
		assertThat(this.done).isEmpty();
		node.adopted(layout(3, "n0", "n1", "n3"));
		awaitEnd();
	}

	@Test
	void aCandidateIsRemovedOnlyWhenItHasJoined() {
		RemovedNode node = node(layout(1, "n0", "n1"));
		node.adopted(layout(2, "n0", "n1", "n3"));
		node.adopted(layout(3, "n0", "n1", "n2", "n3"));
		node.adopted(layout(4, "n0", "n1", "n2", "n3"));
		assertThat(this.done).isEmpty();
		node.adopted(layout(5, "n0", "n1", "n3"));
		awaitEnd();
	}

	/* Its id was that of a member before, with another directory. */
	@Test
	void aCandidateThatLearnsThePastIsNotRemovedByIt() {
		RemovedNode node = node(layout(1, "n0", "n1"));
		this.isBehind = true;
		node.adopted(layout(2, "n0", "n1", "n2"));
		node.adopted(layout(3, "n0", "n1"));
		this.isBehind = false;
		node.adopted(layout(4, "n0", "n1", "n2"));
		assertThat(this.done).isEmpty();
		node.adopted(layout(5, "n0", "n1"));
		awaitEnd();
	}

	@Test
	void aMemberThatLearnsLaterOfItsRemovalBeginsAnew() {
		RemovedNode node = node(layout(1, "n0", "n1", "n2"));
		this.isBehind = true;
		node.adopted(layout(2, "n0", "n1"));
		assertThat(this.done).isEmpty();
		this.isBehind = false;
		node.adopted(layout(3, "n0", "n1", "n3"));
		awaitEnd();
	}

	@Test
	void aNodeWhoseDirectoryCannotBeMarkedEndsToo() {
		this.failure = new IOException("disk full");
		node(layout(1, "n0", "n1", "n2")).adopted(layout(2, "n0", "n1"));
		awaitEnd();
	}

}
