package io.quorate.storage.engine;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.quorate.security.LoggedKey;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageException;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.VersionEdit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Quarantines tables in which damage was met: from then on they answer for none of the
 * keys that they may hold, and are not compacted any more, also after restarts. Safe for
 * any number of threads; no caller waits for the disk.
 */
final class Quarantine {

	private static final Logger log = LoggerFactory.getLogger(Quarantine.class);

	private final Views views;

	private final Manifest manifest;

	private final Flusher flusher;

	Quarantine(Views views, Manifest manifest, Flusher flusher) {
		this.views = views;
		this.manifest = manifest;
		this.flusher = flusher;
	}

	/** Takes note of damage that was met, in a live table or elsewhere. */
	void met(StorageCorruptedException damage) {
		for (TableHandle handle : this.views.peek().tables()) {
			if (Tables.isNamed(damage.file(), handle.meta().number()) && handle.quarantine(damage)) {
				log.error("A table is quarantined, and reads of keys between {} and {} that it may hold will fail: {}",
						LoggedKey.of(handle.meta().summary().keys().smallest()),
						LoggedKey.of(handle.meta().summary().keys().largest()), damage.getMessage());
				record(handle, damage);
			}
		}
	}

	/**
	 * Records the tables in quarantine. Those that could not be opened stay in
	 * quarantine, even if the next start can open them.
	 */
	void recordAll() {
		for (TableHandle handle : this.views.peek().tables()) {
			StorageCorruptedException damage = handle.damage();
			if (damage != null) {
				record(handle, damage);
			}
		}
	}

	private void record(TableHandle handle, StorageCorruptedException damage) {
		CompletableFuture<?> recorded = this.flusher.<@Nullable Void>meanwhile(() -> {
			long number = handle.meta().number();
			if (!this.manifest.live().quarantined().containsKey(number)) {
				this.manifest.append(VersionEdit.quarantined(Map.of(number, damage.offset())));
			}
			return null;
		});
		var _ = recorded.whenComplete((_, failure) -> {
			if (failure instanceof StorageException) {
				log.error("The quarantine of {} could not be recorded, and holds until the next start only: {}",
						damage.file(), failure.toString());
			}
		});
	}

	/** Number of tables in quarantine. */
	int tables() {
		return (int) this.views.peek().tables().stream().filter((handle) -> handle.damage() != null).count();
	}

}
