package io.quorate.client;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** The codec of JSON. Programs without {@code jackson-databind} never load it. */
final class JacksonCodec<T> implements Codec<T> {

	private static final ObjectMapper MAPPER = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.build();

	private final Class<T> type;

	JacksonCodec(Class<T> type) {
		this.type = type;
	}

	@Override
	public byte[] encode(T value) {
		return MAPPER.writeValueAsBytes(value);
	}

	@Override
	public T decode(byte[] value) {
		return MAPPER.readValue(value, this.type);
	}

}
