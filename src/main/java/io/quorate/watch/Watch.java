package io.quorate.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * The watch of one client. It is live once it has sent all up to the positions from which
 * the {@link Feed} reports to it; before, and when its client was too slow, it catches up
 * from the positions of its cursor ({@link CatchUp}). Events wait for the client by their
 * keys, a newer one in the place of an older: at most {@value #MOST_EVENTS}, or
 * {@value #MOST_BYTES} bytes, and less where those of all watches are too many.
 * <p>
 * Used by one thread at a time.
 */
final class Watch implements Listener, CatchUp.Taker {

	static final int MOST_EVENTS = 1024;

	static final int MOST_BYTES = 1024 * 1024;

	static final int SIGN_SECONDS = 15;

	static final int RIGHTS_SECONDS = 5;

	private static final long SIGN_NANOS = TimeUnit.SECONDS.toNanos(SIGN_SECONDS);

	private static final long RIGHTS_NANOS = TimeUnit.SECONDS.toNanos(RIGHTS_SECONDS);

	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(Feed.REACH_MILLIS);

	private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final WatchTerms terms;

	private final Feed feed;

	private final Client client;

	private final long begunNanos;

	private long endNanos;

	private String endReason = "time";

	private final long graceMillis;

	private final Map<Key, WatchEvent.OfKey> events = new LinkedHashMap<>();

	private int eventBytes;

	/* Of the last batch, until the client asks for more. */
	private int sentBytes;

	/* Whether events were dropped: a cursor would pass them by. */
	private boolean hasDropped;

	/* Whether the client is to forget what it knows, before the events. */
	private boolean isReset;

	/* What follows the events. */
	private final Queue<WatchEvent> signs = new ArrayDeque<>();

	private State state = State.STARTING;

	private Positions base = Positions.NONE;

	/*
	 * All acknowledged before it is below the base, and below where the part begins, and
	 * no deletion with an older timestamp was left out.
	 */
	private long baseMillis = Long.MAX_VALUE;

	private long begunMillis;

	private boolean isFromNothing;

	/*
	 * Whether the client, which began with nothing, has learned of keys to which the
	 * catch-up had not come.
	 */
	private boolean isToldAhead;

	/* Whether it has lost members before it began to rely on them. */
	private boolean isLost;

	private WatchCursor.@Nullable Part part;

	private @Nullable CatchUp catchUp;

	/*
	 * The last report of each key of which feed and catch-up may report out of order: the
	 * one has not come to an entry that the other has reported.
	 */
	private final Map<Key, Timestamp> ahead = new HashMap<>();

	private long caughtUpNanos;

	/* Whether it has left out events, which the next catch-up finds. */
	private boolean hasLeftOut;

	private long retryNanos;

	private Told told = Told.NOTHING;

	private long signNanos;

	private long rightsNanos;

	private long demand;

	private boolean hasEnded;

	private boolean isGone;

	/** The states of a watch. */
	private enum State {

		STARTING, BEHIND, LIVE

	}

	/** The last sign of the cover that the client was sent. */
	private enum Told {

		NOTHING, LIVE, STALLED

	}

	/** The receiver of a watch's events. */
	interface Client {

		/** Receives the events; called only while there is demand. */
		void send(WatchBatch batch);

		/** There are no more. */
		void end();

	}

	/**
	 * A watch that has not begun.
	 * @param endNanos instant at which it ends, by the monotonic clock
	 * @param graceMillis time for which deletions are kept at least
	 * @param isReset whether the client first forgets what it knows
	 */
	Watch(WatchTerms terms, Feed feed, Client client, long endNanos, long graceMillis, boolean isReset) {
		this.terms = terms;
		this.feed = feed;
		this.client = client;
		this.begunNanos = feed.now();
		this.endNanos = endNanos;
		this.graceMillis = graceMillis;
		this.signNanos = this.begunNanos + SIGN_NANOS;
		this.rightsNanos = this.begunNanos + RIGHTS_NANOS;
		this.retryNanos = this.begunNanos;
		this.isReset = isReset;
	}

	@Override
	public ScanRange range() {
		return this.terms.range();
	}

	@Override
	public boolean hasValues() {
		return this.terms.hasValues();
	}

	@Override
	public boolean covers(Key key) {
		return !range().isPassedBy(key) && key.compareTo(range().start()) >= 0;
	}

	boolean isLive() {
		return this.state == State.LIVE;
	}

	boolean isStalled() {
		return this.told == Told.STALLED;
	}

	@Override
	public boolean isBusy() {
		return !this.hasEnded && (this.state == State.STARTING || this.catchUp != null);
	}

	/** The client can take more batches. */
	void demanded(long more) {
		this.demand = (this.demand + more < 0) ? Long.MAX_VALUE : this.demand + more;
		this.feed.room().hold(-this.sentBytes);
		this.sentBytes = 0;
		go();
	}

	@Override
	public void offer(WatchEvent.OfKey event, Timestamp timestamp) {
		if (this.state == State.STARTING || this.hasEnded) {
			return;
		}
		if (this.hasLeftOut) {
			leavesOut(event, timestamp);
			return;
		}
		Timestamp told = this.ahead.get(event.key());
		// The catch-up that is to begin with nothing finds it.
		boolean isFound = this.isFromNothing && this.catchUp == null && this.part == null;
		if (isFound || (told != null && !timestamp.isAfter(told))) {
			return;
		}
		boolean isNoted = !isBehind(event.key());
		boolean isTaken = (!isNoted || mayNote(event.key())) && put(event);
		if (isTaken && isNoted) {
			this.ahead.put(event.key(), timestamp);
			this.isToldAhead |= this.isFromNothing;
		}
		if (!isTaken) {
			this.hasLeftOut = true;
			leavesOut(event, timestamp);
			if (this.state == State.LIVE) {
				leaveLive();
			}
		}
	}

	private void leavesOut(WatchEvent.OfKey event, Timestamp timestamp) {
		if (!(event instanceof WatchEvent.Put put) || put.expiryMillis() != Versioned.NEVER) {
			leavesOut(timestamp);
		}
	}

	@Override
	public void leavesOut(Timestamp timestamp) {
		this.baseMillis = Math.min(this.baseMillis, timestamp.millis());
		this.begunMillis = Math.min(this.begunMillis, timestamp.millis());
	}

	/* Whether no catch-up is to come to a key. */
	private boolean isBehind(Key key) {
		WatchCursor.Part sent = this.part;
		return this.catchUp == null || (sent != null && key.compareTo(sent.last()) <= 0);
	}

	private boolean mayNote(Key key) {
		return this.ahead.size() < mostEvents() || this.ahead.containsKey(key);
	}

	private boolean put(WatchEvent.OfKey told) {
		WatchEvent.OfKey event = (hasValues() || !(told instanceof WatchEvent.Put put)) ? told : put.withoutContent();
		WatchEvent.OfKey former = this.events.remove(event.key());
		hold((former != null) ? -former.sizeBytes() : 0);
		boolean isFull = this.events.size() >= mostEvents() || !isFree()
				|| (this.eventBytes + event.sizeBytes() > MOST_BYTES && !this.events.isEmpty());
		if (!isFull) {
			this.events.put(event.key(), event);
			hold(event.sizeBytes());
		}
		return !isFull;
	}

	private void hold(int bytes) {
		this.eventBytes += bytes;
		this.feed.room().hold(bytes);
	}

	private void drop() {
		this.hasDropped |= !this.events.isEmpty();
		this.events.clear();
		hold(-this.eventBytes);
	}

	private int mostEvents() {
		return this.feed.surroundings().bounds().events();
	}

	@Override
	public boolean hasRoom() {
		return this.events.size() < mostEvents() / 2 && this.eventBytes < MOST_BYTES / 2 && isFree();
	}

	private boolean isFree() {
		return this.feed.room().isFree(this.eventBytes + this.sentBytes);
	}

	@Override
	public void caughtUp(Key key, WatchEvent.@Nullable OfKey event, Timestamp timestamp, boolean isAhead,
			Positions begun) {
		Timestamp told = this.ahead.get(key);
		if (event != null && covers(key) && (told == null || timestamp.isAfter(told))) {
			if (isAhead && mayNote(key)) {
				this.ahead.put(key, timestamp);
			}
			else if (isAhead) {
				this.hasLeftOut = true;
				this.retryNanos = this.feed.room().soon(RETRY_NANOS);
			}
			var _ = put(event);
		}
		this.part = new WatchCursor.Part(key, begun);
	}

	@Override
	public void caughtUp(Positions begun, boolean isWhole) {
		stop();
		this.feed.started();
		if (isOutdated()) {
			beginAnew();
			return;
		}
		this.part = null;
		this.base = begun;
		this.baseMillis = this.begunMillis;
		this.isFromNothing = false;
		this.isToldAhead = false;
		if (isWhole && !this.hasLeftOut) {
			this.state = State.LIVE;
		}
	}

	private void stop() {
		CatchUp former = this.catchUp;
		if (former != null) {
			former.stop();
			this.catchUp = null;
			this.caughtUpNanos = this.feed.now();
			this.feed.room().endCatchUp();
		}
	}

	/* The feed has come to all that catch-ups have reported. */
	private void forget() {
		if (!this.ahead.isEmpty() && this.catchUp == null && this.feed.isComplete(range(), this.caughtUpNanos)) {
			this.ahead.keySet().removeIf((key) -> !this.feed.isUnconfirmed(key));
		}
	}

	@Override
	public void fellShort() {
		stop();
		this.retryNanos = this.feed.room().soon(RETRY_NANOS);
	}

	@Override
	public void fallBehind() {
		switch (this.state) {
			case LIVE -> leaveLive();
			// The catch-up that is under way may have passed them.
			case BEHIND -> this.hasLeftOut = true;
			case STARTING -> {
			}
		}
	}

	@Override
	public void lose() {
		if (this.state == State.STARTING) {
			this.isLost = true;
			return;
		}
		stop();
		leaveLive();
		this.base = Positions.NONE;
		this.part = null;
		if (this.isFromNothing) {
			this.isFromNothing = false;
			this.baseMillis = this.begunMillis;
		}
	}

	/* What was not sent yet is not true any more. */
	private void leaveLive() {
		this.state = State.BEHIND;
		this.signs.removeIf((sign) -> sign instanceof WatchEvent.Live);
		this.told = (this.told == Told.LIVE) ? Told.NOTHING : this.told;
	}

	/** Ends the watch after what waits for the client. */
	void end(String why) {
		if (!this.hasEnded) {
			this.signs.add(new WatchEvent.End(why));
			this.hasEnded = true;
			stop();
			this.retryNanos = this.feed.now() + END_NANOS;
			send();
		}
	}

	/** Ends the watch at an instant, if not before. */
	void endAt(long nanos, String why) {
		if (nanos - this.endNanos < 0) {
			this.endNanos = nanos;
			this.endReason = why;
		}
		go();
	}

	/** The client has gone. */
	void cancel() {
		this.hasEnded = true;
		this.isGone = true;
		stop();
		drop();
		this.feed.room().hold(-this.sentBytes);
		this.sentBytes = 0;
		this.feed.remove(this);
	}

	@Override
	public void go() {
		if (!this.hasEnded) {
			start();
			forget();
			look();
		}
		if (!this.hasEnded) {
			catchUp();
			tell();
		}
		send();
	}

	private void start() {
		if (this.state != State.STARTING || !this.feed.isAskedFor(range())
				|| !this.feed.isComplete(range(), this.begunNanos)
				|| this.feed.surroundings().history().getAsLong() == Surroundings.UNKNOWN_HISTORY) {
			return;
		}
		this.feed.started();
		WatchCursor cursor = this.terms.cursor();
		if (cursor == null) {
			this.base = this.feed.positions();
			this.baseMillis = this.feed.baseMillis();
			this.state = State.LIVE;
			if (this.isLost) {
				lose();
			}
			return;
		}
		this.state = State.BEHIND;
		if (this.feed.surroundings().isApart(cursor)) {
			beginAnew();
			return;
		}
		this.baseMillis = cursor.origin().millis();
		this.begunMillis = this.baseMillis;
		this.isFromNothing = cursor.isFromNothing();
		WatchCursor.Part begun = cursor.part();
		if (!this.isLost && isGood(cursor, cursor.base()) && (begun == null
				|| (covers(begun.last()) && !begun.begun().isNone() && isGood(cursor, begun.begun())))) {
			this.base = cursor.base();
			this.part = begun;
		}
		else {
			this.isFromNothing &= cursor.equals(WatchCursor.START);
		}
	}

	private boolean isGood(WatchCursor cursor, Positions positions) {
		return positions.isNone() || (cursor.origin().layout() == this.feed.layout() && isKnownBy(positions));
	}

	/*
	 * Whether members of which the positions are known name all that has arrived since.
	 */
	private boolean isKnownBy(Positions positions) {
		return positions.isNone() || this.feed.isCovered(range(),
				(follower) -> this.feed.isReached(follower) && positions.knows(follower.epoch()));
	}

	private boolean isCover(Positions positions) {
		return this.feed.isCovered(range(), (follower) -> positions.knows(follower.epoch()));
	}

	private void look() {
		long now = this.feed.now();
		if (now - this.rightsNanos >= 0) {
			this.rightsNanos = now + RIGHTS_NANOS;
			if (!this.terms.mayRead().getAsBoolean()) {
				drop();
				end("rights");
			}
		}
		if (now - this.endNanos >= 0) {
			end(this.endReason);
		}
	}

	private void catchUp() {
		if (this.state != State.BEHIND) {
			return;
		}
		if (this.catchUp == null && this.events.isEmpty() && this.feed.now() - this.retryNanos >= 0
				&& this.feed.isReached(range()) && this.feed.room().mayCatchUp(this)) {
			begin();
		}
		if (this.catchUp != null) {
			this.catchUp.go();
		}
		if (this.catchUp != null && !hasRoom() && this.feed.room().isAwaited()) {
			// Its client is slow: another one has the place meanwhile.
			fellShort();
		}
	}

	private void begin() {
		if (!isKnownBy(this.base)) {
			lose();
		}
		// Deletions of a node alone leave nothing behind. What began with nothing leaves
		// out
		// those of keys that the client knows.
		if (isOutdated() || (this.feed.isAlone() && !this.isFromNothing) || (this.isToldAhead && this.part == null)) {
			beginAnew();
		}
		WatchCursor.Part under = this.part;
		ScanRange rest = range();
		if (under != null) {
			Key next = under.last().next();
			rest = (next != null) ? ScanRange.ascending(next, range().end())
					: ScanRange.ascending(under.last(), under.last());
		}
		else {
			this.hasLeftOut = false;
			this.begunMillis = this.feed.baseMillis();
		}
		Positions begun = (under != null) ? under.begun() : this.feed.positions();
		this.catchUp = new CatchUp(this, this.feed, rest,
				new CatchUp.Terms(this.base, begun, under == null, !this.isFromNothing));
		this.feed.wake(this);
	}

	/* Whether deletions since the base may have been purged. */
	private boolean isOutdated() {
		long now = this.feed.surroundings().clocks().millis().getAsLong();
		return !this.isFromNothing && now - this.baseMillis >= this.graceMillis;
	}

	private void beginAnew() {
		this.isReset = true;
		// What was not sent yet is found again, or is not true any more.
		this.events.clear();
		hold(-this.eventBytes);
		this.ahead.clear();
		this.base = Positions.NONE;
		this.baseMillis = Long.MAX_VALUE;
		this.begunMillis = Long.MAX_VALUE;
		this.part = null;
		this.isFromNothing = true;
		this.isToldAhead = false;
	}

	private void tell() {
		long now = this.feed.now();
		boolean isCovered = this.feed.isReached(range());
		if (isCovered && this.state == State.LIVE) {
			boolean isFirst = this.told != Told.LIVE
					&& (isCover(this.feed.positions()) || now - this.begunNanos >= PATIENCE_NANOS);
			if (isFirst || now - this.signNanos >= 0) {
				sign(new WatchEvent.Live(this.feed.asOfMillis()), Told.LIVE);
			}
		}
		else if (!isCovered && this.told != Told.STALLED && now - this.begunNanos >= PATIENCE_NANOS) {
			sign(new WatchEvent.Stalled(this.feed.unreached()), Told.STALLED);
		}
		else if (now - this.signNanos >= 0) {
			sign(new WatchEvent.Quiet(), this.told);
		}
	}

	private void sign(WatchEvent sign, Told next) {
		this.told = next;
		this.signNanos = this.feed.now() + SIGN_NANOS;
		this.signs.clear();
		this.signs.add(sign);
	}

	private void send() {
		if (this.isGone) {
			return;
		}
		while (this.demand > 0 && (this.isReset || !this.events.isEmpty() || !this.signs.isEmpty())) {
			List<WatchEvent> batch = new ArrayList<>(this.events.size() + this.signs.size());
			if (this.isReset) {
				batch.add(new WatchEvent.Reset());
				this.isReset = false;
			}
			batch.addAll(this.events.values());
			batch.addAll(this.signs);
			this.events.clear();
			this.sentBytes += this.eventBytes;
			this.eventBytes = 0;
			this.signs.clear();
			this.demand--;
			this.client.send(new WatchBatch(batch, cursor()));
		}
		boolean isLate = this.hasEnded && this.feed.now() - this.retryNanos >= 0;
		if (this.hasEnded && (isLate || (this.events.isEmpty() && this.signs.isEmpty()))) {
			this.client.end();
			cancel();
		}
	}

	private @Nullable WatchCursor cursor() {
		Positions now = this.feed.positions();
		if (this.state == State.LIVE && isCover(now)) {
			this.base = now;
			this.baseMillis = this.feed.isReached(range()) ? this.feed.baseMillis() : this.baseMillis;
		}
		boolean isBegun = (this.part != null) ? isCover(this.part.begun()) : !this.base.isNone();
		if (this.state == State.STARTING || !isBegun || this.hasDropped) {
			return null;
		}
		WatchCursor.Origin origin = new WatchCursor.Origin(this.feed.surroundings().history().getAsLong(),
				WatchCursor.hashOf(range()), this.feed.layout(),
				Math.min(this.isFromNothing ? Long.MAX_VALUE : this.baseMillis,
						(this.part != null) ? this.begunMillis : Long.MAX_VALUE));
		return new WatchCursor(origin, this.base, this.isFromNothing, this.part);
	}

}
