package io.quorate.api;

import java.time.Instant;
import java.util.List;

import io.quorate.coordinator.RangeScan.Found;
import io.quorate.coordinator.RangeScan.Listed;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Versioned;
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
			if (!(row instanceof Found found)) {
				throw new IllegalArgumentException("no value of " + row);
			}
			byte[] key = found.key().array();
			byte[] value = found.entry().value().array();
			DataBuffer buffer = buffers.allocateBuffer(key.length + 1 + value.length);
			return buffer.write(key).write((byte) '\n').write(value);
		}

		@Override
		@Nullable DataBuffer writeEnd(long records, @Nullable String next, DataBufferFactory buffers) {
			return null;
		}

	},

	/**
	 * One JSON object a line: {@code key}, {@code value} as base64 or {@code size} if no
	 * values are wanted, {@code etag}, {@code expires} if the value does, and
	 * {@code contentType} if it has one. The last one is the end: {@code last},
	 * {@code records} and, if a limit has cut the range, {@code next}.
	 */
	NDJSON {

		@Override
		MediaType mediaType() {
			return MediaType.APPLICATION_NDJSON;
		}

		@Override
		DataBuffer write(Row row, DataBufferFactory buffers) {
			int valueBytes = (row instanceof Found found) ? found.entry().value().size() / 3 * 4 : 0;
			DataBuffer buffer = buffers.allocateBuffer(2 * row.key().size() + valueBytes + 192);
			try (JsonGenerator json = JsonMapper.shared().createGenerator(buffer.asOutputStream(), JsonEncoding.UTF8)) {
				json.writeStartObject();
				json.writeStringProperty("key", row.key().toString());
				switch (row) {
					case Found found -> {
						json.writeBinaryProperty("value", found.entry().value().array());
						writeVersion(found.entry(), json);
						writeContentType(found.entry(), json);
					}
					case Listed listed -> {
						json.writeNumberProperty("size", listed.summary().valueSizeBytes());
						writeVersion(listed.summary(), json);
					}
				}
				json.writeEndObject();
			}
			return buffer.write((byte) '\n');
		}

		private void writeVersion(Versioned version, JsonGenerator json) {
			json.writeStringProperty("etag", EntityTag.of(version.timestamp()));
			if (version.expiryMillis() != Versioned.NEVER) {
				json.writeStringProperty("expires", Instant.ofEpochMilli(version.expiryMillis()).toString());
			}
		}

		private void writeContentType(Entry.Live entry, JsonGenerator json) {
			ContentType contentType = entry.contentType();
			if (contentType != null) {
				json.writeStringProperty("contentType", contentType.toString());
			}
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
