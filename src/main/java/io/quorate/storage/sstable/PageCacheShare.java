package io.quorate.storage.sstable;

/**
 * The share of a merge's input that is in the page cache. Where it is small, the output
 * does not belong there either; else it does, for nobody knows which part of it is read.
 * Used by one thread.
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
	 * Whether next to nothing of what was read of late was in the page cache, less than
	 * an eighth. Each question makes what was before it count half.
	 */
	boolean isUncached() {
		boolean isUncached = this.uncachedBytes > 7 * this.cachedBytes;
		this.cachedBytes /= 2;
		this.uncachedBytes /= 2;
		return isUncached;
	}

}
