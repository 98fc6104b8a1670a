package io.quorate.client;

/**
 * A codec of objects of one type: their bytes as values, and back. The client uses none
 * by itself. Safe for threads.
 *
 * @param <T> the type of the objects
 */
public interface Codec<T> {

	/**
	 * Returns the codec of JSON by Jackson, which needs {@code jackson-databind} 3 on the
	 * class path. It refuses members that the type does not have, since a later write
	 * would lose them.
	 * @param <T> the type of the objects
	 * @param type the type of the objects
	 */
	static <T> Codec<T> json(Class<T> type) {
		return new JacksonCodec<>(type);
	}

	/**
	 * Returns the bytes of an object.
	 * @param value the object
	 */
	byte[] encode(T value);

	/**
	 * Returns the object of the bytes of a value.
	 * @param value the bytes
	 */
	T decode(byte[] value);

	/** Returns the media type of the bytes. */
	default String contentType() {
		return "application/json";
	}

}
