package io.quorate.storage;

/**
 * Receives the progress of long work on files: steps, one after the other, and the bytes
 * of each. Called by the thread that does the work.
 */
public interface FileProgress {

	/** Ignores all progress. */
	FileProgress NONE = new FileProgress() {

		@Override
		public void begin(Step step, long bytes) {
		}

		@Override
		public void done(long bytes) {
		}

		@Override
		public void end() {
		}

	};

	/** A step of the work. */
	enum Step {

		/** Files get their place, each by a copy or a hard link. */
		COPY,

		/** Files are compared with their checksums. */
		VERIFY

	}

	/**
	 * Begins a step.
	 * @param bytes number of bytes that it has to do
	 */
	void begin(Step step, long bytes);

	/** Counts so many more bytes of the step as done. */
	void done(long bytes);

	/** Ends the step. Not called if it fails. */
	void end();

}
