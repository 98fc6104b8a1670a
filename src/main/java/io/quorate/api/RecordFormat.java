package io.quorate.api;

import java.util.List;

import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.ContentType;
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

		@Override
		@Nullable DataBuffer writeEnd(long records, @Nullable String next, DataBufferFactory buffers) {
			return null;
		}

	},

	/**
	 * One JSON object a line: {@code key}, {@code value} as base64, {@code etag}, and
	 * {@code contentType} if the value has one. The last one is the end: {@code last},
	 * {@code records} and, if a limit has cut the range, {@code next}.
	 */
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
				ContentType contentType = row.entry().contentType();
				if (contentType != null) {
					json.writeStringProperty("contentType", contentType.toString());
				}
				json.writeEndObject();
			}
			return buffer.write((byte) '\n');
		}

		@Override
		DataBuffer writeEnd(long records, @Nullable String next, DataBufferFactory buffers) {
			DataBuffer buffer = buffers.allocateBuffer(128 + ((next != null) ? next.length() : 0));
			try (JsonGenerator json = JsonMapper.shared().createGenerator(buffer.asOutputStream(), JsonEncoding.UTF8)) {
				json.writeStartObject();
				json.writeBooleanProperty("last", true);
				json.writeNumberProperty("records", records);
				if (next != null) {
					json.writeStringProperty("next", next);
				}
				json.writeEndObject();
			}
			return buffer.write((byte) '\n');
		}

	};

	private static final List<MediaType> JSON = List.of(MediaType.APPLICATION_JSON, MediaType.APPLICATION_NDJSON,
			new MediaType("application", "jsonl"));

	/** Its media type. */
	abstract MediaType mediaType();

	/** A record in a buffer of its own, which the caller releases. */
	abstract DataBuffer write(Row row, DataBufferFactory buffers);

	/**
	 * What ends an answer that is complete, in a buffer of its own, which the caller
	 * releases; {@code null} for nothing.
	 * @param records number of records in the answer
	 * @param next the request for the rest of the range, {@code null} when there is none
	 */
	abstract @Nullable DataBuffer writeEnd(long records, @Nullable String next, DataBufferFactory buffers);

	/**
	 * Returns the format that a client accepts: lines of JSON if it names a type of JSON,
	 * and does not like the other format better. Never an error.
	 */
	static RecordFormat of(HttpHeaders headers) {
		double json = 0;
		MediaType plain = null;
		for (MediaType accepted : acceptable(headers)) {
			if (JSON.stream().anyMatch(accepted::equalsTypeAndSubtype)) {
				json = Math.max(json, accepted.getQualityValue());
			}
			else if (accepted.includes(PLAIN.mediaType()) && (plain == null || plain.includes(accepted))) {
				plain = accepted;
			}
		}
		return (json > 0 && (plain == null || json >= plain.getQualityValue())) ? NDJSON : PLAIN;
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
