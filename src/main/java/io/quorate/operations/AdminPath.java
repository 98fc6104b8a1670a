package io.quorate.operations;

/**
 * Where the endpoints for operators lie, whose errors are Spring Boot's and no problem
 * documents of ours.
 *
 * @param root path of them all, without a slash at its end; empty when they share the
 * root with everything else
 */
public record AdminPath(String root) {

	/** Whether a path lies there. */
	public boolean contains(String path) {
		return !this.root.isEmpty() && (path.equals(this.root) || path.startsWith(this.root + "/"));
	}

}
