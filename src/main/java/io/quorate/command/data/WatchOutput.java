package io.quorate.command.data;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.client.WatchEvent;
import io.quorate.command.access.RangeRecord;
import io.quorate.command.terminal.OutputFormat;
import io.quorate.command.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The print of a watch, one line for each event. */
final class WatchOutput {

	private final PrintStream out;

	private final boolean isScreen;

	private final boolean isJson;

	private final boolean withValues;

	private boolean isLive;

	WatchOutput(Terminal terminal, OutputFormat format, boolean withValues) {
		this.out = terminal.out();
		this.isScreen = terminal.screens().out();
		this.isJson = format == OutputFormat.JSON;
		this.withValues = withValues;
	}

	void print(WatchEvent event) {
		boolean wasLive = this.isLive;
		// Puts and deletions change nothing of it.
		this.isLive = (wasLive || event instanceof WatchEvent.Live) && (event instanceof WatchEvent.Live
				|| event instanceof WatchEvent.Put || event instanceof WatchEvent.Delete);
		if (event instanceof WatchEvent.Disconnected) {
			return;
		}
		if (this.isJson) {
			this.out.println(json(event));
		}
		else if (!(event instanceof WatchEvent.Live) || !wasLive) {
			raw(event);
		}
	}

	private ObjectNode json(WatchEvent event) {
		ObjectNode line = JsonMapper.shared().createObjectNode();
		switch (event) {
			case WatchEvent.Put put -> {
				line.put("event", "put").put("key", put.key()).put("etag", put.etag()).put("size", put.size());
				line.put("expires", text(put.expires()));
				if (put.contentType() != null) {
					line.put("contentType", put.contentType());
				}
				if (this.withValues) {
					line.put("value", put.hasValue() ? Base64.getEncoder().encodeToString(put.value()) : null);
				}
			}
			case WatchEvent.Delete delete ->
				line.put("event", "delete").put("key", delete.key()).put("etag", delete.etag());
			case WatchEvent.Live live -> line.put("event", "live").put("asOf", live.asOf().toString());
			case WatchEvent.Stalled stalled -> {
				line.put("event", "stalled");
				stalled.members().forEach(line.putArray("members")::add);
			}
			default -> line.put("event", "gap");
		}
		if (event.cursor() != null) {
			line.put("cursor", event.cursor());
		}
		return line;
	}

	private static @Nullable String text(@Nullable Object value) {
		return (value != null) ? value.toString() : null;
	}

	private void raw(WatchEvent event) {
		switch (event) {
			case WatchEvent.Put put -> {
				fields("put", put.key(), put.etag());
				if (put.hasValue()) {
					value(put.value());
				}
			}
			case WatchEvent.Delete delete -> fields("delete", delete.key(), delete.etag());
			case WatchEvent.Live live -> fields("live", live.asOf().toString());
			case WatchEvent.Stalled stalled -> fields("stalled", String.join(",", stalled.members()));
			default -> fields("gap");
		}
		this.out.println();
	}

	private void fields(String... fields) {
		this.out.print(Stream.of(fields)
			.map((field) -> this.isScreen ? RangeRecord.printable(field) : field)
			.collect(Collectors.joining("\t")));
	}

	private void value(byte[] value) {
		this.out.print('\t');
		if (this.isScreen) {
			this.out.print(RangeRecord.printable(new String(value, StandardCharsets.UTF_8)));
		}
		else {
			this.out.write(value, 0, value.length);
		}
	}

}
