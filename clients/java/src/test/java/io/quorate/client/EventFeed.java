package io.quorate.client;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.quorate.client.HostileServer.Connection;
import io.quorate.client.HostileServer.Received;
import io.quorate.client.HostileServer.Script;
import org.jspecify.annotations.Nullable;

/** An answer of server-sent events, of which the test sends one after the other. */
final class EventFeed implements Script {

	static final String HEAD = Scripts.head(200, "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
			+ Scripts.chunks(": quorate\n\n");

	private final BlockingQueue<Act> acts = new LinkedBlockingQueue<>();

	/** Returns a script that sends some events, and then nothing more. */
	static Script of(String... events) {
		return Scripts.standStillAfter(begun(events));
	}

	/** Returns a script that sends some events, and breaks off. */
	static Script cutAfter(String... events) {
		return Scripts.cutAfter(begun(events));
	}

	/* An empty chunk would be the end of the answer. */
	private static String begun(String... events) {
		return (events.length > 0) ? HEAD + Scripts.chunks(String.join("", events)) : HEAD;
	}

	static String event(String type, String data) {
		return "event: " + type + "\ndata: " + data + "\n\n";
	}

	static String event(String id, String type, String data) {
		return "id: " + id + "\n" + event(type, data);
	}

	static String put(String key) {
		return event("put", putData(key));
	}

	static String put(String id, String key) {
		return event(id, "put", putData(key));
	}

	private static String putData(String key) {
		return "{\"key\":\"" + key + "\",\"etag\":\"\\\"1\\\"\",\"size\":3,\"expires\":null}";
	}

	static String live(String id) {
		return event(id, "live", "{\"asOf\":\"2026-01-31T12:00:00.250Z\"}");
	}

	EventFeed send(String... events) {
		String text = Scripts.chunks(String.join("", events));
		this.acts.add((connection) -> connection.send(Scripts.bytes(text)));
		return this;
	}

	/** Has the answer stand still until the client ends its connection. */
	EventFeed standStill() {
		this.acts.add((connection) -> {
			connection.standStill();
			throw new IOException("the client has ended it");
		});
		return this;
	}

	@Override
	public void answer(Connection connection, Received request) throws IOException, InterruptedException {
		connection.send(Scripts.bytes(HEAD));
		for (Act next = next(); next != null; next = next()) {
			next.on(connection);
		}
	}

	private @Nullable Act next() throws InterruptedException {
		return this.acts.poll(1, TimeUnit.MINUTES);
	}

	private interface Act {

		void on(Connection connection) throws IOException;

	}

}
