package io.quorate.storage.sstable;

/**
 * The share of a merge's input that is in the page cache. Where the share is small, the
 * output does not belong there either. Otherwise it does, because it is not known which
 * part of the output will be read. Used by one thread.
 */
public final class PageCacheShare {

	private long cachedBytes;

	private long uncachedBytes;

	/** Counts a page that was found in the page cache. */
	void cached(int bytes) {
		this.cachedBytes += bytes;
	}

	/** Counts a page that was read past the page cache. */
	void uncached(int bytes) {
		this.uncachedBytes += bytes;
	}

	/**
	 * Whether less than an eighth of the bytes read of late was in the page cache. After
	 * each call, the bytes counted before it weigh half.
	 */
	boolean isUncached() {
		boolean isUncached = this.uncachedBytes > 7 * this.cachedBytes;
		this.cachedBytes /= 2;
		this.uncachedBytes /= 2;
		return isUncached;
	}

}
