package io.quorate.storage.sstable;

import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/**
 * Which pages of a mapping are in memory. To ask the kernel takes a tenth of a lookup, so
 * a page that was there is taken to be there for a while more: the kernel evicts what was
 * not read for longest, and a page that is asked for has just been read. The while begins
 * with {@value #LEAST_MILLIS} ms, grows by one with each page that is found to be still
 * there, up to {@value #MOST_MILLIS}, and begins anew with one that is gone. A page has
 * several of the kernel's, which are not all read each time: who reads what is gone
 * before waits for the disk, once for each of these.
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
	 * When a page was seen last, in milliseconds. Not volatile: a thread that does not
	 * see what another has learned asks once more.
	 */
	private final int[] seen;

	/* Nor is this. */
	private int believedMillis = LEAST_MILLIS;

	/**
	 * Nothing is known of any page.
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
