package io.quorate.api.changes;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Consumer;

import io.quorate.api.request.EntityTag;
import io.quorate.api.request.LineEnds;
import io.quorate.entry.Versioned;
import io.quorate.watch.WatchEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** The events of watches as JSON objects, each without a line break. Pure. */
final class EventJson {

	/* With milliseconds also where they are zero. */
	private static final DateTimeFormatter INSTANT = DateTimeFormatter
		.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
		.withZone(ZoneOffset.UTC);

	private static final JsonMapper MAPPER = JsonMapper
		.builder(JsonFactory.builder().characterEscapes(new LineEnds()).build())
		.build();

	private EventJson() {
	}

	/** The name of the kind of an event. */
	static String word(WatchEvent event) {
		return switch (event) {
			case WatchEvent.Put _ -> "put";
			case WatchEvent.Delete _ -> "delete";
			case WatchEvent.Live _ -> "live";
			case WatchEvent.Stalled _ -> "stalled";
			case WatchEvent.Reset _ -> "reset";
			case WatchEvent.End _ -> "end";
			case WatchEvent.Quiet _ -> "quiet";
		};
	}

	/** Writes an object with some members. */
	static void writeObject(DataBuffer to, Consumer<JsonGenerator> members) {
		try (JsonGenerator json = MAPPER.createGenerator(to.asOutputStream(), JsonEncoding.UTF8)) {
			json.writeStartObject();
			members.accept(json);
			json.writeEndObject();
		}
	}

	/**
	 * Writes the members of an event.
	 * @param hasValues whether a value that is not there is named
	 */
	static void writeMembers(WatchEvent event, boolean hasValues, JsonGenerator json) {
		switch (event) {
			case WatchEvent.Put put -> writePut(put, hasValues, json);
			case WatchEvent.Delete delete -> {
				json.writeStringProperty("key", delete.key().toString());
				json.writeStringProperty("etag", EntityTag.of(delete.version()));
			}
			case WatchEvent.Live live ->
				json.writeStringProperty("asOf", INSTANT.format(Instant.ofEpochMilli(live.asOfMillis())));
			case WatchEvent.Stalled stalled -> {
				json.writeArrayPropertyStart("members");
				stalled.members().forEach(json::writeString);
				json.writeEndArray();
			}
			case WatchEvent.End end -> json.writeStringProperty("why", end.why());
			case WatchEvent.Reset _, WatchEvent.Quiet _ -> {
			}
		}
	}

	private static void writePut(WatchEvent.Put put, boolean hasValues, JsonGenerator json) {
		json.writeStringProperty("key", put.key().toString());
		json.writeStringProperty("etag", EntityTag.of(put.version()));
		json.writeNumberProperty("size", put.valueBytes());
		boolean expires = put.expiryMillis() != Versioned.NEVER;
		writeText("expires", expires ? Instant.ofEpochMilli(put.expiryMillis()).toString() : null, json);
		WatchEvent.Content content = put.content();
		if (content != null) {
			json.writeBinaryProperty("value", content.value().array());
			if (content.type() != null) {
				json.writeStringProperty("contentType", content.type().toString());
			}
		}
		else if (hasValues) {
			json.writeNullProperty("value");
		}
	}

	/** Writes a text, or {@code null} for none. */
	static void writeText(String name, @Nullable String text, JsonGenerator json) {
		if (text != null) {
			json.writeStringProperty(name, text);
		}
		else {
			json.writeNullProperty(name);
		}
	}

}
