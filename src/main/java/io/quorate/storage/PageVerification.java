package io.quorate.storage;

/**
 * When lookups compare the pages of a table with their checksums. Cursors always do.
 */
public enum PageVerification {

	/**
	 * When a page is first read after the table was opened, and again after it has left
	 * memory. What memory itself has changed since is found by a cursor that comes to the
	 * page, by a verification of the whole table, or when it is opened anew.
	 */
	FIRST_TOUCH,

	/**
	 * Whenever a lookup enters a page, so that what a disk or memory has changed
	 * meanwhile is never served.
	 */
	EVERY_READ

}
