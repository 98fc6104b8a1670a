package io.quorate.consensus;

import java.io.IOException;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * A file that is replaced as a whole, and whose writes a power failure may cut off, by
 * the seed of its random numbers.
 */
public final class SimulatedFile {

	private final Random random;

	/** Share of writes in which the power fails, in percent. */
	public int crashPercent;

	private byte @Nullable [] fsynced;

	/* Written and not fsynced: there after a crash by luck. */
	private byte @Nullable [] written;

	public SimulatedFile(Random random) {
		this.random = random;
	}

	/** The bytes that are durable; null when the file is not there. */
	public byte @Nullable [] durable() {
		return this.fsynced;
	}

	/** Has the file with these bytes, durable; with null there is no file. */
	public void set(byte @Nullable [] bytes) {
		this.fsynced = bytes;
	}

	/**
	 * Replaces the file.
	 * @param isFsyncForgotten whether most writes are not fsynced, as a planted bug
	 * @throws IOException when the power fails
	 */
	public void replace(byte[] bytes, boolean isFsyncForgotten) throws IOException {
		this.written = bytes;
		if (this.random.nextInt(100) < this.crashPercent) {
			throw new IOException("the power fails");
		}
		if (!isFsyncForgotten || this.random.nextInt(4) == 0) {
			this.fsynced = this.written;
			this.written = null;
		}
	}

	/** The power fails: of what was not fsynced, all may be there, or nothing. */
	public void crash() {
		if (this.written != null && this.random.nextBoolean()) {
			this.fsynced = this.written;
		}
		this.written = null;
	}

}
