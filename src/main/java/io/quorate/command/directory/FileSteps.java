package io.quorate.command.directory;

import java.util.concurrent.atomic.AtomicLong;

import io.quorate.command.terminal.Progress;
import io.quorate.command.terminal.ProgressUnit;
import io.quorate.command.terminal.Terminal;
import io.quorate.storage.FileProgress;
import org.jspecify.annotations.Nullable;

/**
 * The progress of work on files, each step of which is drawn by itself. A step that has
 * not ended when this is closed counts as failed.
 */
final class FileSteps implements FileProgress, AutoCloseable {

	private final Terminal terminal;

	private final AtomicLong bytes = new AtomicLong();

	private @Nullable Progress step;

	FileSteps(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public void begin(Step kind, long all) {
		this.bytes.set(0);
		this.step = Progress.start(this.terminal, switch (kind) {
			case COPY -> "copied";
			case VERIFY -> "verified";
		}, ProgressUnit.BYTES, () -> (all > 0) ? Math.min(1, (double) this.bytes.get() / all) : 1);
	}

	@Override
	public void done(long more) {
		this.bytes.addAndGet(more);
		if (this.step != null) {
			this.step.done(more);
		}
	}

	@Override
	public void end() {
		if (this.step != null) {
			this.step.close();
			this.step = null;
		}
	}

	@Override
	public void close() {
		if (this.step != null) {
			this.step.failed(1);
		}
		end();
	}

}
