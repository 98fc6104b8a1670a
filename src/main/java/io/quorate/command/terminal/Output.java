package io.quorate.command.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Standard output, in UTF-8. It keeps the first failure, which a print stream swallows.
 * Used by one thread at a time.
 */
public final class Output extends PrintStream {

	private final Watched watched;

	private final boolean isPipe;

	/**
	 * An output to a stream.
	 * @param isPipe whether the stream is a pipe, which fails only when its reader is
	 * gone
	 */
	public Output(OutputStream stream, boolean isPipe) {
		this(new Watched(stream), isPipe);
	}

	private Output(Watched watched, boolean isPipe) {
		super(watched, false, StandardCharsets.UTF_8);
		this.watched = watched;
		this.isPipe = isPipe;
	}

	/**
	 * Writes what is still to be written; returns the reason why the output has not taken
	 * everything, {@code null} if it has. A reader that wants no more is no fault.
	 */
	public @Nullable String fault() {
		flush();
		IOException failure = this.watched.failure;
		if (failure == null || this.isPipe) {
			return null;
		}
		String reason = String.valueOf(failure.getMessage());
		return reason.toLowerCase(Locale.ROOT).contains("broken pipe") ? null : reason;
	}

	private static final class Watched extends FilterOutputStream {

		private @Nullable IOException failure;

		private Watched(OutputStream stream) {
			super(stream);
		}

		@Override
		public void write(int next) throws IOException {
			try {
				this.out.write(next);
			}
			catch (IOException fault) {
				throw noted(fault);
			}
		}

		@Override
		public void write(byte[] bytes, int start, int length) throws IOException {
			try {
				this.out.write(bytes, start, length);
			}
			catch (IOException fault) {
				throw noted(fault);
			}
		}

		@Override
		public void flush() throws IOException {
			try {
				this.out.flush();
			}
			catch (IOException fault) {
				throw noted(fault);
			}
		}

		private IOException noted(IOException fault) {
			if (this.failure == null) {
				this.failure = fault;
			}
			return fault;
		}

	}

}
