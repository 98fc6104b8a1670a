package io.quorate.spring.boot.store;

import io.quorate.client.Codec;
import org.springframework.beans.factory.BeanFactory;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/** The JSON of one type, without the names of classes. Safe for threads. */
public final class JsonCodec implements Codec<Object> {

	private final JsonMapper mapper;

	private final JavaType type;

	/**
	 * Creates a codec.
	 * @param mapper the mapper
	 * @param type the type of all objects
	 */
	public JsonCodec(JsonMapper mapper, JavaType type) {
		this.mapper = mapper;
		this.type = type;
	}

	/**
	 * Returns the JSON of a class, by the mapper of an application.
	 * @param beans the beans; without a mapper there it is one with defaults
	 * @param type the type of all objects
	 */
	public static JsonCodec of(BeanFactory beans, Class<?> type) {
		JsonMapper mapper = beans.getBeanProvider(JsonMapper.class).getIfAvailable(() -> JsonMapper.builder().build());
		return new JsonCodec(mapper, mapper.constructType(type));
	}

	@Override
	public byte[] encode(Object value) {
		return this.mapper.writerFor(this.type).writeValueAsBytes(value);
	}

	@Override
	public Object decode(byte[] bytes) {
		return this.mapper.readerFor(this.type).readValue(bytes);
	}

}
