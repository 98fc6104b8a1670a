package io.quorate.storage;

import java.io.IOException;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/** The identity of a directory of which only the identity is there, in memory. */
public final class RecordedIdentity implements StoreIdentity {

	private UUID storageId;

	private boolean isNew = true;

	private int formatLevel;

	private int abandoned;

	private @Nullable Exception failure;

	/** The identity of a new directory. */
	public RecordedIdentity(UUID storageId, int formatLevel) {
		this.storageId = storageId;
		this.formatLevel = formatLevel;
	}

	/** Has the directory had a format level from the beginning. */
	public void begin(int level) {
		this.formatLevel = level;
	}

	/** Number of times that the directory was given up. */
	public int abandoned() {
		return this.abandoned;
	}

	/**
	 * Has each raise of the format level, and each mark of a directory that is given up,
	 * fail from now on, or none.
	 */
	public void fail(@Nullable Exception with) {
		this.failure = with;
	}

	@Override
	public UUID storageId() {
		return this.storageId;
	}

	@Override
	public boolean isNew() {
		return this.isNew;
	}

	@Override
	public void settle() {
		this.isNew = false;
	}

	@Override
	public void renew() {
		this.storageId = UUID.randomUUID();
	}

	@Override
	public void abandon() throws IOException {
		this.abandoned++;
		failIfTold();
	}

	private void failIfTold() throws IOException {
		switch (this.failure) {
			case null -> {
			}
			case IOException expected -> throw expected;
			case RuntimeException unchecked -> throw unchecked;
			default -> throw new AssertionError(this.failure);
		}
	}

	@Override
	public int formatLevel() {
		return this.formatLevel;
	}

	@Override
	public void raiseFormatLevel(int level) throws IOException {
		failIfTold();
		this.formatLevel = level;
	}

}
