package io.quorate.storage;

/** When the pages of a table are compared with their checksums. */
public enum PageVerification {

	/**
	 * When a page is first read after the table was opened. Damage that comes up later is
	 * found by a verification of the whole table or after the table was opened anew.
	 */
	FIRST_TOUCH,

	/**
	 * Whenever a lookup or a cursor enters a page, so that what a disk or memory has
	 * changed meanwhile is never served.
	 */
	EVERY_READ

}
