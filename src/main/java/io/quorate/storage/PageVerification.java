package io.quorate.storage;

/**
 * The lookups that compare the pages of a table with their checksums. Cursors always do.
 */
public enum PageVerification {

	/**
	 * The first read of a page after the table was opened, and the first after the page
	 * has left memory. Damage that memory itself causes later is found when a cursor
	 * reaches the page, when the whole table is verified, or when it is opened anew.
	 */
	FIRST_TOUCH,

	/**
	 * Every lookup that enters a page, so that no damage on disk or in memory is ever
	 * served.
	 */
	EVERY_READ

}
