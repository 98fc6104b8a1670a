package io.quorate.replica;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * The writes that this node has let in and that have no outcome in its store yet. A
 * {@link Barrier} passes when all that had been let in before it have one, however many
 * follow. A write that is under way costs two counts. Safe for any number of threads.
 */
public final class WritesUnderWay {

	private final Phase[] phases = { new Phase(), new Phase() };

	private volatile int current;

	/** A write begins. To be called before the check that may refuse it. */
	Phase begin() {
		while (true) {
			int at = this.current;
			Phase phase = this.phases[at];
			phase.begun.increment();
			// The adder alone does not order the count before what follows.
			VarHandle.fullFence();
			if (this.current == at) {
				return phase;
			}
			phase.end();
		}
	}

	/**
	 * A barrier that waits for the writes that have begun up to now. Of several the last
	 * one counts: an earlier one may never pass.
	 */
	public Barrier barrier() {
		return new Barrier();
	}

	/** The writes that have begun between two barriers. */
	static final class Phase {

		private final LongAdder begun = new LongAdder();

		private final LongAdder ended = new LongAdder();

		private Phase() {
		}

		/** A write of this phase was refused, or has an outcome. To be called once. */
		void end() {
			this.ended.increment();
		}

		/*
		 * A write that is counted as ended was counted as begun before, and the first sum
		 * is read first: so the sums are equal only if none was under way then.
		 */
		private boolean isQuiet() {
			long wereEnded = this.ended.sum();
			return this.begun.sum() == wereEnded;
		}

	}

	/**
	 * A barrier between the writes of before and later ones. Used by one thread.
	 * <p>
	 * It waits three times. The check that lets a write in is counted as well as the
	 * write itself. Where an earlier barrier has not passed, checks of before are in both
	 * phases: when each phase was quiet once, all of them are over, and the writes that
	 * they let in are counted, the last ones in the phase that was quiet first. When that
	 * is quiet again, all of them have an outcome.
	 */
	public final class Barrier {

		private static final int WAITS = 3;

		private int waited;

		private Phase before = turn();

		private Barrier() {
		}

		private Phase turn() {
			int ending = WritesUnderWay.this.current;
			WritesUnderWay.this.current = 1 - ending;
			return WritesUnderWay.this.phases[ending];
		}

		/** Whether all writes of before have an outcome. Does not wait. */
		public boolean isPassed() {
			while (this.waited < WAITS && this.before.isQuiet()) {
				this.waited++;
				if (this.waited < WAITS) {
					this.before = turn();
				}
			}
			return this.waited == WAITS;
		}

	}

}
