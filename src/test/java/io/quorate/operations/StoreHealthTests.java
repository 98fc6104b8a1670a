package io.quorate.operations;

import java.util.Map;

import io.quorate.storage.StorageFailedException;
import io.quorate.storage.Store;
import io.quorate.storage.StoreStatus;
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
		given(this.store.status()).willReturn(new StoreStatus(new StoreStatus.Disk(5000, 1000), 1,
				new StoreStatus.Tables(7, 3, 0, 0), new StoreStatus.Held(0, 0)));
		Health health = new StoreHealth(this.store).health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails())
			.isEqualTo(Map.of("log", "works", "disk", "has room", "diskFreeBytes", 5000L, "diskRequiredBytes", 1000L,
					"memtablesWaiting", 1, "tables", 7, "levelZeroTables", 3, "quarantinedTables", 0));
	}

	@Test
	void aFullDiskIsADetail() {
		given(this.store.status()).willReturn(new StoreStatus(new StoreStatus.Disk(999, 1000), 0,
				new StoreStatus.Tables(0, 0, 0, 0), new StoreStatus.Held(0, 0)));
		Health health = new StoreHealth(this.store).health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("disk", "too full for writes");
	}

	@Test
	void storeWhoseLogHasFailedIsDownAndSaysWhy() {
		given(this.store.status()).willReturn(new StoreStatus(new StoreStatus.Disk(5000, 1000), 0,
				new StoreStatus.Tables(0, 0, 0, 0), new StoreStatus.Held(0, 0)));
		given(this.store.failure()).willReturn(new StorageFailedException("no force any more", null));
		Health health = new StoreHealth(this.store).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("failure", "no force any more")
			.containsEntry("log", "failed")
			.containsEntry("reason", "the log has failed: no write is taken until the node is restarted");
	}

}
