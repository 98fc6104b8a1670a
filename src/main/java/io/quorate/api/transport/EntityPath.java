package io.quorate.api.transport;

/**
 * The paths of entities: {@link #PATH}, with the key in a parameter, and the paths below
 * it, in which all that follows the slash is the key. Those are the one exception to the
 * rule that a path has one spelling: their key is percent-decoded once, and slashes, dots
 * and escapes have no meaning in it.
 */
public final class EntityPath {

	/** The path without a key. */
	public static final String PATH = "/v0/entity";

	private static final String KEYS = PATH + "/";

	private EntityPath() {
	}

	/** Whether a path names an entity: alone, or with a key behind it. */
	public static boolean matches(String path) {
		return path.equals(PATH) || hasKey(path);
	}

	/** Whether a key follows in a path, be it an empty one. */
	public static boolean hasKey(String path) {
		return path.startsWith(KEYS);
	}

	/** The key of a path that {@linkplain #hasKey has one}, still encoded. */
	public static String key(String path) {
		return path.substring(KEYS.length());
	}

	/** The same path without its key, for logs, traces and problem documents. */
	public static String withoutKey(String path) {
		return hasKey(path) ? PATH : path;
	}

	/** Number of characters of a request target that stand before its key. */
	static int keyStart() {
		return KEYS.length();
	}

}
