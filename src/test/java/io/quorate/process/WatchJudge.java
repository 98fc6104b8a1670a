package io.quorate.process;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.quorate.client.RangeRecord;
import io.quorate.client.WatchEvent;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.process.KeyRequests.Reply;
import io.quorate.watch.WatchedHistory;
import io.quorate.watch.WatchedState;
import org.jspecify.annotations.Nullable;

/**
 * The judge of clients that watch some keys, by the answers that these and others were
 * given. It reads by a majority what is reported and no answer has shown yet. Safe for
 * any number of threads.
 */
final class WatchJudge {

	/* A client that writes is told a bit later than one that watches. */
	private static final Duration TOLD = Duration.ofMillis(100);

	private final KeyRequests requests;

	private final Duration grace;

	/* One that says of an entry that it is held is enough. */
	private final WatchedHistory history = new WatchedHistory(1);

	private final Map<Key, Timestamp> shown = new HashMap<>();

	private final Map<Key, Doubt> doubts = new LinkedHashMap<>();

	private final Map<Timestamp, String> texts = new HashMap<>();

	private final Set<Timestamp> written = new HashSet<>();

	private final Set<String> unwritten = new HashSet<>();

	private final Set<String> reported = new HashSet<>();

	private final List<String> faults = new ArrayList<>();

	private int events;

	private int proofs;

	/** The newest version of a key that is reported and that no answer has shown. */
	private record Doubt(String client, Timestamp version, long nanos) {
	}

	/**
	 * Nothing yet.
	 * @param grace time for which nodes keep deletions at least
	 */
	WatchJudge(KeyRequests requests, Duration grace) {
		this.requests = requests;
		this.grace = grace;
	}

	/** A client that watches and knows nothing yet. */
	WatchedState client(String name, ScanRange range, boolean isWhole) {
		return new WatchedState(name, range, this.history, isWhole, this::check);
	}

	private static Timestamp version(String etag) {
		String[] parts = etag.replace("\"", "").split("-", -1);
		return new Timestamp(Long.parseUnsignedLong(parts[0], 16), Integer.parseUnsignedInt(parts[1], 16));
	}

	synchronized void check(boolean holds, Supplier<String> otherwise) {
		if (!holds) {
			String fault = "%s: %s".formatted(Instant.now(), otherwise.get());
			this.faults.add(fault);
			Scale.report(fault);
		}
	}

	/**
	 * A write is acknowledged.
	 * @param text the value, {@code null} for a deletion
	 * @param beganMillis instant before the write
	 */
	synchronized void written(String key, String etag, @Nullable String text, long expiryMillis, long beganMillis) {
		Entry entry = entry(version(etag), text != null, expiryMillis);
		this.history.held(Key.of(key), entry, beganMillis);
		this.written.add(entry.version());
		if (text != null) {
			isOf(entry.version(), text);
		}
		told(Key.of(key), entry);
	}

	private void told(Key key, Entry entry) {
		this.history.acknowledged(key, entry, System.currentTimeMillis());
		this.shown.merge(key, entry.version(), (one, other) -> one.isAfter(other) ? one : other);
	}

	private static Entry entry(Timestamp version, boolean hasValue, long expiryMillis) {
		return hasValue ? new Entry.Live(version, Entry.ALL, expiryMillis, Value.EMPTY, null)
				: new Entry.Tombstone(version, Entry.ALL);
	}

	private void isOf(Timestamp version, String text) {
		String before = this.texts.putIfAbsent(version, text);
		check(before == null || before.equals(text), () -> "%s is %s and %s".formatted(version, before, text));
	}

	/** Whether a write of a version was acknowledged. */
	synchronized boolean isWritten(@Nullable String etag) {
		return etag != null && this.written.contains(version(etag));
	}

	/** A write has not happened, and never will. */
	synchronized void unwritten(String text) {
		this.unwritten.add(text);
		check(!this.reported.contains(text), () -> "%s was reported, and is not written".formatted(text));
	}

	/**
	 * Takes note of the answer to a linearizable read.
	 * @return the entry that it has shown, {@code null} for none
	 */
	synchronized @Nullable Entry read(String key, Reply reply) {
		String version = (reply.status() == 200) ? reply.etag() : (reply.status() == 404) ? reply.version() : "";
		if (version.isEmpty()) {
			return null;
		}
		long expiryMillis = reply.expires().isEmpty() ? Versioned.NEVER
				: ZonedDateTime.parse(reply.expires(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli();
		Entry entry = entry(version(version), reply.status() == 200, expiryMillis);
		this.history.held(Key.of(key), entry, 0);
		told(Key.of(key), entry);
		return entry;
	}

	/**
	 * Takes note of a key that a range has shown.
	 * @return its entry
	 */
	synchronized Entry found(RangeRecord record) {
		Instant expires = record.expires();
		Entry entry = entry(version(record.etag()), true, (expires != null) ? expires.toEpochMilli() : Versioned.NEVER);
		this.history.held(Key.of(record.key()), entry, 0);
		told(Key.of(record.key()), entry);
		return entry;
	}

	/** A client is told that a key has a value. */
	synchronized void put(WatchedState state, String client, WatchEvent.Put put) {
		Instant expires = put.expires();
		long expiryMillis = (expires != null) ? expires.toEpochMilli() : Versioned.NEVER;
		Timestamp version = version(put.etag());
		if (put.hasValue()) {
			String text = WatchedWrites.name(put.text());
			this.reported.add(text);
			check(!this.unwritten.contains(text),
					() -> "%s learns of %s, which is not written".formatted(client, text));
			isOf(version, text);
		}
		learns(state, client, entry(version, true, expiryMillis),
				new io.quorate.watch.WatchEvent.Put(Key.of(put.key()), version, (int) put.size(), expiryMillis, null));
	}

	/** A client is told that a key has none. */
	synchronized void deleted(WatchedState state, String client, WatchEvent.Delete delete) {
		Timestamp version = version(delete.etag());
		learns(state, client, entry(version, false, Versioned.NEVER),
				new io.quorate.watch.WatchEvent.Delete(Key.of(delete.key()), version));
	}

	private void learns(WatchedState state, String client, Entry entry, io.quorate.watch.WatchEvent.OfKey event) {
		this.events++;
		Key key = event.key();
		Timestamp known = this.shown.getOrDefault(key, Timestamp.ZERO);
		if (entry.version().isAfter(known)) {
			this.doubts.merge(key, new Doubt(client, entry.version(), System.nanoTime()),
					(before, now) -> now.version().isAfter(before.version()) ? now : before);
		}
		this.history.held(key, entry, 0);
		state.learns(event);
	}

	/** A client is told that it knows all that was acknowledged before an instant. */
	synchronized void live(WatchedState state, Instant asOf) {
		state.isLive(asOf.toEpochMilli(), System.currentTimeMillis(), this::present);
	}

	/* What hides an entry may be a deletion that no client was told of. */
	private @Nullable Entry present(Key key) {
		try {
			return read(key.toString(), this.requests.get(key.toString()));
		}
		catch (IOException away) {
			return null;
		}
		catch (InterruptedException over) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	/**
	 * What is wrong with what a client knows of a key, by its last entry if there is one.
	 */
	synchronized @Nullable String fault(WatchedState state, String key, @Nullable Entry last) {
		return state.fault(Key.of(key), last, System.currentTimeMillis());
	}

	/** Whether nothing that was reported waits for a read that shows it. */
	synchronized boolean isProven() {
		return this.doubts.isEmpty();
	}

	/**
	 * Reads something that was reported and that no answer has shown, if there is any.
	 */
	void prove() throws InterruptedException {
		Map.Entry<Key, Doubt> next = next();
		if (next == null) {
			new Pace(TOLD).await();
			return;
		}
		String key = next.getKey().toString();
		Doubt doubt = next.getValue();
		try {
			Reply plain = this.requests.send("GET", "/v0/entity/" + key, "");
			if (plain.status() == 200) {
				judge(key, doubt, version(plain.etag()));
			}
			else if (plain.status() == 404) {
				Reply reply = this.requests.get(key);
				if (reply.status() == 404 && reply.version().isEmpty() && mayBePurged(doubt)) {
					judge(key, doubt, doubt.version());
				}
				else if (reply.status() == 200 || reply.status() == 404) {
					Entry found = read(key, reply);
					judge(key, doubt, (found != null) ? found.version() : Timestamp.ZERO);
				}
			}
		}
		catch (IOException away) {
			new Pace(TOLD).await();
		}
	}

	/*
	 * A deletion that is newer may be as old, however late the client has learned of it.
	 */
	private boolean mayBePurged(Doubt doubt) {
		return System.currentTimeMillis() - doubt.version().millis() >= this.grace.toMillis();
	}

	private synchronized Map.@Nullable Entry<Key, Doubt> next() {
		long now = System.nanoTime();
		Iterator<Map.Entry<Key, Doubt>> all = this.doubts.entrySet().iterator();
		while (all.hasNext()) {
			Map.Entry<Key, Doubt> each = all.next();
			if (!each.getValue().version().isAfter(this.shown.getOrDefault(each.getKey(), Timestamp.ZERO))) {
				all.remove();
			}
			else if (now - each.getValue().nanos() >= TOLD.toNanos()) {
				return Map.entry(each.getKey(), each.getValue());
			}
		}
		return null;
	}

	private synchronized void judge(String key, Doubt doubt, Timestamp found) {
		this.proofs++;
		check(!doubt.version().isAfter(found), () -> "%s has learned of %s at %s, but a majority shows %s"
			.formatted(doubt.client(), key, doubt.version(), found));
		this.shown.merge(Key.of(key), doubt.version(), (one, other) -> one.isAfter(other) ? one : other);
	}

	/** All that did not hold. */
	synchronized List<String> faults() {
		return List.copyOf(this.faults);
	}

	/** Number of events of keys. */
	synchronized int events() {
		return this.events;
	}

	/** Number of reads that had to show what was reported. */
	synchronized int proofs() {
		return this.proofs;
	}

}
