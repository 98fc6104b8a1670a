package io.quorate.storage.wal;

import java.util.concurrent.CompletableFuture;

import io.quorate.storage.StorageFailedException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SyncRequestsTests {

	private final SyncRequests requests = new SyncRequests();

	@Test
	void callersOfTheNextFsyncShareOneFuture() {
		CompletableFuture<Void> first = this.requests.add();
		assertThat(this.requests.add()).isSameAs(first);
		assertThat(this.requests.isEmpty()).isFalse();
		assertThat(this.requests.take()).isSameAs(first);
		assertThat(this.requests.take()).isNull();
		assertThat(this.requests.add()).as("the one after").isNotSameAs(first);
	}

	@Test
	void passesStayUntilTheyAreRemoved() {
		CompletableFuture<Void> done = this.requests.addPass(7);
		assertThat(this.requests.peekPass()).isEqualTo(new SyncRequests.Pass(7, done));
		assertThat(this.requests.isEmpty()).isFalse();
		this.requests.removePass();
		assertThat(this.requests.isEmpty()).isTrue();
	}

	@Test
	void allThatWaitFailWithTheLog() {
		CompletableFuture<Void> fsync = this.requests.add();
		CompletableFuture<Void> one = this.requests.addPass(7);
		CompletableFuture<Void> two = this.requests.addPass(8);
		this.requests.failAll(new StorageFailedException("a test", null));
		assertThat(fsync).isCompletedExceptionally();
		assertThat(one).isCompletedExceptionally();
		assertThat(two).isCompletedExceptionally();
		assertThat(this.requests.isEmpty()).isTrue();
	}

	@Test
	void anFsyncWithoutRoomFails() {
		CompletableFuture<Void> without = new CompletableFuture<>();
		SyncRequests.complete(without, false);
		assertThat(without).isCompletedExceptionally();
		CompletableFuture<Void> with = new CompletableFuture<>();
		SyncRequests.complete(with, true);
		assertThat(with).isCompletedWithValue(null);
	}

}
