package io.quorate.spring.boot.store;

import io.quorate.client.Codec;
import org.jspecify.annotations.Nullable;
import org.springframework.core.serializer.support.DeserializingConverter;
import org.springframework.core.serializer.support.SerializingConverter;

/**
 * The serialization of Java. Whoever writes the keys chooses the classes that are made:
 * give their prefix to the application alone. Safe for threads.
 */
public final class JavaCodec implements Codec<Object> {

	private final SerializingConverter serializer = new SerializingConverter();

	private final DeserializingConverter deserializer;

	/**
	 * Creates a codec.
	 * @param loader the loader of the classes, {@code null} for that of this class
	 */
	public JavaCodec(@Nullable ClassLoader loader) {
		this.deserializer = new DeserializingConverter((loader != null) ? loader : JavaCodec.class.getClassLoader());
	}

	@Override
	public byte[] encode(Object value) {
		return this.serializer.convert(value);
	}

	@Override
	public Object decode(byte[] bytes) {
		return this.deserializer.convert(bytes);
	}

	@Override
	public String contentType() {
		return "application/x-java-serialized-object";
	}

}
