package io.quorate.spring.boot.store;

import org.jspecify.annotations.Nullable;
import org.springframework.core.serializer.support.DeserializingConverter;
import org.springframework.core.serializer.support.SerializingConverter;

/**
 * The form of objects as bytes. Any exception of {@link #decode} says that the bytes are
 * no such object. Safe for threads.
 */
public interface ValueCodec {

	/**
	 * Returns the bytes of an object.
	 * @param value the object
	 */
	byte[] encode(@Nullable Object value);

	/**
	 * Returns the object of some bytes.
	 * @param bytes the bytes
	 */
	@Nullable Object decode(byte[] bytes);

	/**
	 * Returns the serialization of Java. Whoever writes the keys chooses the classes that
	 * are made: give the prefix to the application alone.
	 * @param loader the loader of the classes
	 */
	static ValueCodec java(@Nullable ClassLoader loader) {
		SerializingConverter serializer = new SerializingConverter();
		DeserializingConverter deserializer = new DeserializingConverter(
				(loader != null) ? loader : ValueCodec.class.getClassLoader());
		return new ValueCodec() {

			@Override
			public byte[] encode(@Nullable Object value) {
				return (value != null) ? serializer.convert(value) : new byte[0];
			}

			@Override
			public @Nullable Object decode(byte[] bytes) {
				return (bytes.length > 0) ? deserializer.convert(bytes) : null;
			}

		};
	}

}
