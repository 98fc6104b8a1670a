package io.quorate.operations;

import io.quorate.storage.StorageFailedException;
import io.quorate.storage.Store;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class StoreHealthTests {

	private final Store store = mock(Store.class);

	@Test
	void storeThatTakesWritesIsUp() {
		assertThat(new StoreHealth(this.store).health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void storeWhoseLogHasFailedIsDownAndSaysWhy() {
		given(this.store.failure()).willReturn(new StorageFailedException("no force any more", null));
		Health health = new StoreHealth(this.store).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("failure", "no force any more");
	}

}
