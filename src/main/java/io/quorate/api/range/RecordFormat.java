package io.quorate.api.range;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

import io.quorate.api.request.EntityTag;
import io.quorate.api.request.LineEnds;
import io.quorate.coordinator.RangeScan.Found;
import io.quorate.coordinator.RangeScan.Listed;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** The formats of the records of a range. Each record is one buffer. */
enum RecordFormat {

	/**
	 * One JSON object a line: {@code key}, {@code value} as base64 or {@code size} if no
	 * values are wanted, {@code etag}, {@code expires} if the value does, and
	 * {@code contentType} if it has one. The last one is the end: {@code last},
	 * {@code records} and, if a limit has cut the range, {@code next}.
	 */
	LINES_OF_JSON {

		@Override
		DataBuffer write(Row row, boolean isFirst, DataBufferFactory buffers) {
			DataBuffer buffer = buffers.allocateBuffer(objectBytes(row));
			writeRecord(row, buffer);
			return buffer.write((byte) '\n');
		}

		@Override
		DataBuffer writeEnd(long records, @Nullable String next, DataBufferFactory buffers) {
			DataBuffer buffer = buffers.allocateBuffer(128 + ((next != null) ? next.length() : 0));
			try (JsonGenerator json = MAPPER.createGenerator(buffer.asOutputStream(), JsonEncoding.UTF8)) {
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

	},

	/**
	 * One JSON object: {@code records}, an array of the same objects, and {@code next} if
	 * a limit has cut the range.
	 */
	JSON {

		@Override
		DataBuffer write(Row row, boolean isFirst, DataBufferFactory buffers) {
			DataBuffer buffer = buffers.allocateBuffer(objectBytes(row));
			if (isFirst) {
				buffer.write(BEGIN);
			}
			else {
				buffer.write((byte) ',');
			}
			writeRecord(row, buffer.write((byte) '\n'));
			return buffer;
		}

		@Override
		DataBuffer writeEnd(long records, @Nullable String next, DataBufferFactory buffers) {
			DataBuffer buffer = buffers.allocateBuffer(64 + ((next != null) ? next.length() : 0));
			if (records == 0) {
				buffer.write(BEGIN);
			}
			String end = (next != null) ? "\n],\"next\":" + MAPPER.writeValueAsString(next) + "}\n" : "\n]}\n";
			return buffer.write(end, StandardCharsets.UTF_8);
		}

	},

	/** {@code <key>\n<value>}, with nothing behind the value: HTTP's chunks separate. */
	CHUNKS {

		@Override
		DataBuffer write(Row row, boolean isFirst, DataBufferFactory buffers) {
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

	};

	private static final byte[] BEGIN = "{\"records\":[".getBytes(StandardCharsets.US_ASCII);

	private static final JsonMapper MAPPER = JsonMapper
		.builder(JsonFactory.builder().characterEscapes(new LineEnds()).build())
		.build();

	/** A record in a buffer of its own, which the caller releases. */
	abstract DataBuffer write(Row row, boolean isFirst, DataBufferFactory buffers);

	/**
	 * What ends an answer that is complete, in a buffer of its own, which the caller
	 * releases; {@code null} for nothing.
	 * @param records number of records in the answer
	 * @param next the request for the rest of the range, {@code null} when there is none
	 */
	abstract @Nullable DataBuffer writeEnd(long records, @Nullable String next, DataBufferFactory buffers);

	private static void writeRecord(Row row, DataBuffer buffer) {
		try (JsonGenerator json = MAPPER.createGenerator(buffer.asOutputStream(), JsonEncoding.UTF8)) {
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
	}

	private static void writeVersion(Versioned state, JsonGenerator json) {
		json.writeStringProperty("etag", EntityTag.of(state.version()));
		if (state.expiryMillis() != Versioned.NEVER) {
			json.writeStringProperty("expires", Instant.ofEpochMilli(state.expiryMillis()).toString());
		}
	}

	private static void writeContentType(Entry.Live entry, JsonGenerator json) {
		ContentType contentType = entry.contentType();
		if (contentType != null) {
			json.writeStringProperty("contentType", contentType.toString());
		}
	}

	/* The most bytes of an object, or nearly: a buffer grows. */
	private static int objectBytes(Row row) {
		int valueBytes = (row instanceof Found found) ? found.entry().value().size() / 3 * 4 : 0;
		return 2 * row.key().size() + valueBytes + 192;
	}

}
