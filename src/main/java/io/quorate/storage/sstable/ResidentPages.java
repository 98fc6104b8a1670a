package io.quorate.storage.sstable;

import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/**
 * The pages of a mapping that are in memory. To ask the kernel takes a tenth of a lookup,
 * so a page that was in memory is assumed to be there for a time more: the kernel evicts
 * the pages that were not read for longest, and a page that is asked for has just been
 * read. This time begins with {@value #LEAST_MILLIS} ms, grows by one with each page that
 * is found to be still in memory, up to {@value #MOST_MILLIS}, and begins anew with one
 * that is not. A page has several of the kernel's, which are not all read each time: a
 * reader of one that was evicted earlier waits for the disk, once for each of these.
 * <p>
 * Safe for any number of threads.
 */
final class ResidentPages {

	static final int LEAST_MILLIS = 50;

	static final int MOST_MILLIS = 1000;

	private static final int NEVER = 0;

	private final IntPredicate isResident;

	private final LongSupplier nanoTime;

	/*
	 * Time at which a page was seen last, in milliseconds. Not volatile: a thread that
	 * does not see the answer that another thread got asks once more.
	 */
	private final int[] seen;

	/* Not volatile either. */
	private int believedMillis = LEAST_MILLIS;

	/**
	 * Starts with no page known to be in memory.
	 * @param isResident asks the kernel
	 * @param nanoTime the monotonic clock
	 */
	ResidentPages(int pages, IntPredicate isResident, LongSupplier nanoTime) {
		this.isResident = isResident;
		this.nanoTime = nanoTime;
		this.seen = new int[pages];
	}

	/** Whether a page was in memory when {@link #contains} was called last. */
	boolean wasThere(int page) {
		return this.seen[page] != NEVER;
	}

	/** Whether a page is in memory, or was a moment ago. */
	boolean contains(int page) {
		int now = Math.max(NEVER + 1,
				(int) (TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong()) & Integer.MAX_VALUE));
		int last = this.seen[page];
		int age = now - last;
		int believed = this.believedMillis;
		if (last != NEVER && age >= 0 && age < believed) {
			return true;
		}
		boolean there = this.isResident.test(page);
		this.seen[page] = there ? now : NEVER;
		if (last != NEVER) {
			this.believedMillis = there ? Math.min(believed + 1, MOST_MILLIS) : LEAST_MILLIS;
		}
		return there;
	}

}
