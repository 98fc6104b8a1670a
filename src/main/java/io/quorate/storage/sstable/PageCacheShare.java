package io.quorate.storage.sstable;

/**
 * The share of a merge's input that is in the page cache: its output belongs there if the
 * input did. Used by one thread.
 */
public final class PageCacheShare {

	private long cachedBytes;

	private long uncachedBytes;

	/** Takes note of a page that was found in the page cache. */
	void cached(int bytes) {
		this.cachedBytes += bytes;
	}

	/** Takes note of a page that was read past the page cache. */
	void uncached(int bytes) {
		this.uncachedBytes += bytes;
	}

	/**
	 * Whether most of what was read of late was not in the page cache. Each question
	 * makes what was before it count half.
	 */
	boolean isMostlyUncached() {
		boolean isUncached = this.uncachedBytes > this.cachedBytes;
		this.cachedBytes /= 2;
		this.uncachedBytes /= 2;
		return isUncached;
	}

}
