package io.quorate.security.access;

/**
 * A request to a path for operators, as the audit log names it.
 *
 * @param method its method
 * @param path its path, without the query
 */
public record Command(String method, String path) {

	/** Whether it changes nothing. */
	boolean isRead() {
		return this.method.equals("GET") || this.method.equals("HEAD");
	}

}
