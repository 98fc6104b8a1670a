package io.quorate.api;

import java.util.List;

import io.quorate.coordinator.RangeScan.Row;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/** The formats of the records of a range. Each record is one buffer. */
enum RecordFormat {

	/** {@code <key>\n<value>}, with nothing behind the value: HTTP's chunks separate. */
	PLAIN {

		@Override
		MediaType mediaType() {
			return MediaType.APPLICATION_OCTET_STREAM;
		}

		@Override
		DataBuffer write(Row row, DataBufferFactory buffers) {
			byte[] key = row.key().array();
			byte[] value = row.entry().value().array();
			DataBuffer buffer = buffers.allocateBuffer(key.length + 1 + value.length);
			return buffer.write(key).write((byte) '\n').write(value);
		}

	},

	/** One JSON object a line: {@code key}, {@code value} as base64, {@code etag}. */
	NDJSON {

		@Override
		MediaType mediaType() {
			return MediaType.APPLICATION_NDJSON;
		}

		@Override
		DataBuffer write(Row row, DataBufferFactory buffers) {
			byte[] value = row.entry().value().array();
			DataBuffer buffer = buffers.allocateBuffer(2 * row.key().size() + value.length / 3 * 4 + 128);
			try (JsonGenerator json = JsonMapper.shared().createGenerator(buffer.asOutputStream(), JsonEncoding.UTF8)) {
				json.writeStartObject();
				json.writeStringProperty("key", row.key().toString());
				json.writeBinaryProperty("value", value);
				json.writeStringProperty("etag", EntityTag.of(row.entry().timestamp()));
				json.writeEndObject();
			}
			return buffer.write((byte) '\n');
		}

	};

	/** Its media type. */
	abstract MediaType mediaType();

	/** A record in a buffer of its own, which the caller releases. */
	abstract DataBuffer write(Row row, DataBufferFactory buffers);

	/**
	 * Returns the format that a client accepts: NDJSON only if it names it, and never an
	 * error.
	 */
	static RecordFormat of(HttpHeaders headers) {
		return acceptable(headers).stream().anyMatch(RecordFormat::isNdjson) ? NDJSON : PLAIN;
	}

	private static boolean isNdjson(MediaType accepted) {
		return accepted.getQualityValue() > 0 && accepted.isConcrete()
				&& accepted.equalsTypeAndSubtype(MediaType.APPLICATION_NDJSON);
	}

	private static List<MediaType> acceptable(HttpHeaders headers) {
		@Nullable List<MediaType> accepted;
		try {
			accepted = headers.getAccept();
		}
		catch (InvalidMediaTypeException _) {
			accepted = List.of();
		}
		return accepted;
	}

}
