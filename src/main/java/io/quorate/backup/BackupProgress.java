package io.quorate.backup;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.storage.FileProgress;

/**
 * The progress of a backup that is being taken. Safe for any number of threads.
 */
public final class BackupProgress {

	private final String name;

	private volatile OptionalLong bytesInAll = OptionalLong.empty();

	private final AtomicLong bytes = new AtomicLong();

	BackupProgress(String name) {
		this.name = name;
	}

	/** The name that the backup is going to have. */
	public String name() {
		return this.name;
	}

	/** Bytes of the files that have their hard link or their copy. */
	public long bytes() {
		return this.bytes.get();
	}

	/** Bytes of all files; empty until the node has flushed its memtables. */
	public OptionalLong bytesInAll() {
		return this.bytesInAll;
	}

	FileProgress receiver() {
		return new FileProgress() {

			@Override
			public void begin(Step step, long all) {
				BackupProgress.this.bytesInAll = OptionalLong.of(all);
			}

			@Override
			public void done(long more) {
				BackupProgress.this.bytes.addAndGet(more);
			}

			@Override
			public void end() {
			}

		};
	}

}
