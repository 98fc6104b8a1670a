package io.quorate.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.coordinator.ReplicaSet;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Versioned;
import io.quorate.replica.ChangesReply;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Replica;
import io.quorate.storage.Arrivals;
import org.jspecify.annotations.Nullable;

/**
 * The changes of all keys that are watched at this node: it follows every member, and
 * reports an entry once a majority of the replicas of its key has named it. What fewer
 * have named for {@value #CONFIRM_MILLIS} ms is read by a majority, and the outcome is
 * reported. While a change of the layout is under way the replicas of before decide:
 * every acknowledged write is at a majority of them.
 * <p>
 * Used by one thread at a time. At most {@value #MOST_UNCONFIRMED} keys are unconfirmed:
 * beyond, members are not asked any more until that ends.
 */
final class Feed {

	static final int CONFIRM_MILLIS = 200;

	static final int REACH_MILLIS = 3000;

	static final int MOST_UNCONFIRMED = 16_384;

	static final int MOST_READS = 64;

	/* So that cursors need not wait for long. */
	private static final int UNSETTLED_WAIT_MILLIS = 50;

	private static final int REPORTED = 65_536;

	private static final int REFRESH_MILLIS = 100;

	private static final long CONFIRM_NANOS = TimeUnit.MILLISECONDS.toNanos(CONFIRM_MILLIS);

	private static final long REACH_NANOS = TimeUnit.MILLISECONDS.toNanos(REACH_MILLIS);

	private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(REFRESH_MILLIS);

	private static final long OPEN_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Surroundings surroundings;

	private final WatchMetrics metrics;

	private PreferenceLists lists;

	private final Map<String, Follower> followers = new LinkedHashMap<>();

	private final WatchIndex watches = new WatchIndex();

	/* Those that the next input may make something possible for. */
	private final Set<Listener> busy = new LinkedHashSet<>();

	private KeyRanges ranges = KeyRanges.NONE;

	private boolean isChanged;

	private long refreshedNanos;

	private long startedNanos;

	/* Whether a watch may rely on members. */
	private boolean hasStarted;

	private final Map<Key, Unconfirmed> unconfirmed = new HashMap<>();

	private final Queue<Unconfirmed> due = new ArrayDeque<>();

	private int reads;

	private final WatchRoom room;

	/* All of the time since the last input; null when not known. */
	private @Nullable Positions positions;

	private @Nullable Long baseMillis;

	private @Nullable Boolean isAllReached;

	private final Map<Key, Reported> reported = new LinkedHashMap<>() {

		private static final long serialVersionUID = 1;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Key, Reported> eldest) {
			return size() > REPORTED;
		}

	};

	/** The last report of a key. */
	private record Reported(Timestamp timestamp, Timestamp version, long expiryMillis, boolean isTombstone) {

		private static Reported of(Versioned entry) {
			return new Reported(entry.timestamp(), entry.version(), entry.expiryMillis(), entry.isTombstone());
		}

		private boolean isSame(Versioned entry) {
			return this.version.equals(entry.version()) && this.expiryMillis == entry.expiryMillis()
					&& this.isTombstone == entry.isTombstone();
		}

	}

	Feed(Surroundings surroundings, WatchMetrics metrics) {
		this.surroundings = surroundings;
		this.metrics = metrics;
		this.lists = surroundings.lists().get();
		this.refreshedNanos = now() - REFRESH_NANOS;
		this.startedNanos = now();
		this.room = new WatchRoom(surroundings);
	}

	long now() {
		return this.surroundings.clocks().nanoTime().getAsLong();
	}

	Surroundings surroundings() {
		return this.surroundings;
	}

	WatchRoom room() {
		return this.room;
	}

	long layout() {
		return this.lists.layout();
	}

	/** Whether this node is the only member: then deletions leave nothing behind. */
	boolean isAlone() {
		return this.lists.allReplicas().size() == 1;
	}

	/** The members that are followed. */
	Iterable<Follower> followers() {
		return this.followers.values();
	}

	/** Begins to report to a watch. */
	void add(Listener watch) {
		lookAtLayout();
		this.watches.add(watch);
		this.busy.add(watch);
		this.isChanged = true;
		follow();
		refresh();
	}

	/** Does not report to a watch any more. */
	void remove(Listener watch) {
		this.watches.remove(watch);
		this.busy.remove(watch);
		this.room.leave(watch);
		if (this.watches.isEmpty()) {
			this.followers.values().forEach(Follower::abandon);
			this.followers.clear();
			this.ranges = KeyRanges.NONE;
			this.hasStarted = false;
			this.unconfirmed.clear();
			this.due.clear();
			this.reported.clear();
		}
	}

	/** The next input may make something possible for a watch. */
	void wake(Listener watch) {
		this.busy.add(watch);
	}

	/** A client may know what this node has not come to: of another one, or of pages. */
	void started() {
		this.startedNanos = now();
		this.hasStarted = true;
	}

	/** Whether a range is among those that members are asked for. */
	boolean isAskedFor(ScanRange range) {
		KeyRanges only = KeyRanges.of(List.of(range));
		return this.ranges.covers(range)
				&& this.followers.values().stream().allMatch((follower) -> follower.isAskedFor(only));
	}

	/* Requests that leave out a range are asked anew, at most ten times a second. */
	private void refresh() {
		if (!this.isChanged || now() - this.refreshedNanos < REFRESH_NANOS) {
			return;
		}
		this.isChanged = false;
		this.refreshedNanos = now();
		this.ranges = KeyRanges.of(this.watches.all().stream().map(Listener::range).toList());
		this.followers.values().forEach(Follower::abandonWait);
		// A watch that begins waits for an answer to a request that was sent since.
		ask(0);
	}

	/** Does what time demands; called every 100 ms. */
	void tick() {
		if (this.watches.isEmpty()) {
			return;
		}
		lookAtLayout();
		refresh();
		long now = now();
		for (Unconfirmed each : this.unconfirmed.values()) {
			if (!each.isReading() && now - each.sinceNanos() >= CONFIRM_NANOS) {
				queue(each);
			}
		}
		ask();
		go();
		this.watches.all().forEach(Listener::go);
	}

	/** Runs what an input has made possible. */
	private void go() {
		settle();
		lookAtVouchers();
		settleFollowers();
		forget();
		List<Listener> woken = List.copyOf(this.busy);
		this.busy.clear();
		for (Listener watch : woken) {
			watch.go();
			if (watch.isBusy()) {
				this.busy.add(watch);
			}
		}
	}

	/*
	 * A write may have arrived at a member before that was followed, and at another one
	 * since. Until it is settled, a cursor must not pass it by.
	 */
	private void settleFollowers() {
		for (Follower follower : this.followers.values()) {
			if (follower.isKnown() && !follower.isSettled() && isNamedByOthers(follower)) {
				follower.settle(this.unconfirmed.values(), (each) -> this.unconfirmed.get(each.key()) == each);
			}
		}
	}

	private boolean isNamedByOthers(Follower follower) {
		for (Follower other : this.followers.values()) {
			if (other != follower && isReached(other) && other.completeNanos() - follower.unbrokenNanos() < 0) {
				return false;
			}
		}
		return isCovered(this.lists.everySet(), this::isReached, true);
	}

	private void forget() {
		this.positions = null;
		this.baseMillis = null;
		this.isAllReached = null;
	}

	private void lookAtLayout() {
		PreferenceLists current = this.surroundings.lists().get();
		if (!current.equals(this.lists)) {
			boolean wasAlone = isAlone();
			this.lists = current;
			follow();
			if (!wasAlone || !isAlone()) {
				// Names of replicas that did not decide were left out until now.
				this.watches.all().forEach(Listener::lose);
			}
		}
	}

	private void follow() {
		forget();
		Set<String> members = new HashSet<>();
		for (Replica replica : this.lists.allReplicas()) {
			members.add(replica.nodeId());
			Follower follower = this.followers.get(replica.nodeId());
			if (follower == null) {
				this.followers.put(replica.nodeId(), new Follower(replica, now()));
			}
			else if (!follower.replica().equals(replica)) {
				follower.replaceBy(replica);
			}
		}
		this.followers.values().removeIf((follower) -> {
			boolean isGone = !members.contains(follower.member());
			if (isGone) {
				follower.abandon();
				this.unconfirmed.values().forEach((each) -> each.forget(follower.member()));
			}
			return isGone;
		});
	}

	private void ask() {
		boolean isSettled = this.followers.values().stream().allMatch(Follower::isSettled);
		ask(isSettled ? ChangesRequest.MOST_WAIT_MILLIS : UNSETTLED_WAIT_MILLIS);
	}

	private void ask(int waitMillis) {
		if (this.unconfirmed.size() >= MOST_UNCONFIRMED || this.watches.isEmpty()) {
			return;
		}
		for (Follower follower : this.followers.values()) {
			if (follower.mayAsk(now())) {
				follower.ask(this.ranges, waitMillis, now(), this.surroundings.clocks().millis().getAsLong(),
						(reply, ask) -> this.surroundings.turns().execute(() -> answered(follower, reply, ask)));
			}
		}
	}

	private void answered(Follower follower, ChangesReply reply, int ask) {
		if (!follower.isAnsweredBy(ask) || this.followers.get(follower.member()) != follower) {
			return;
		}
		switch (reply) {
			case ChangesReply.Changes(Arrivals.Page page) -> arrived(follower, page);
			case ChangesReply.Failed _ -> follower.failed(now());
		}
		go();
		ask();
	}

	private void arrived(Follower follower, Arrivals.Page page) {
		if (!follower.isKnown()) {
			followed(follower, page);
		}
		else if (page.isGap()) {
			broken(follower, page);
		}
		else {
			page.names().forEach((name) -> named(follower, name));
			follower.reached(page);
		}
	}

	/**
	 * A member is followed from now on. Watches that have begun rely on it once others
	 * have named what has arrived there before, or look for that.
	 */
	private void followed(Follower follower, Arrivals.Page page) {
		List<Follower> others = this.followers.values()
			.stream()
			.filter((other) -> other != follower && isReached(other))
			.toList();
		follower.begin(page);
		if (this.hasStarted) {
			awaitVouchers(follower, others);
		}
	}

	/**
	 * Arrivals at a member are not known any more. Within its epoch a watch finds them by
	 * its numbers; in another one the other members have to name them.
	 */
	private void broken(Follower follower, Arrivals.Page page) {
		if (page.epoch() == follower.epoch()) {
			follower.begin(page);
			this.watches.all().forEach(Listener::fallBehind);
			return;
		}
		long since = follower.completeNanos();
		List<Follower> others = this.followers.values()
			.stream()
			.filter((other) -> other != follower && isReached(other) && other.isUnbrokenSince(since))
			.toList();
		this.unconfirmed.values().forEach((each) -> each.forget(follower.member()));
		follower.begin(page);
		awaitVouchers(follower, others);
	}

	private void awaitVouchers(Follower follower, List<Follower> others) {
		follower.awaitVouchers(others);
		if (!isCovered(this.lists.everySet(), others::contains, true)) {
			lose(follower);
		}
	}

	/* The watches look at the whole range: no member has to name what was left out. */
	private void lose(Follower follower) {
		follower.awaitVouchers(List.of());
		this.watches.all().forEach(Listener::lose);
	}

	private void lookAtVouchers() {
		for (Follower follower : this.followers.values()) {
			boolean isLost = !follower.isVouchedFor() && follower.vouchers()
				.stream()
				.anyMatch((other) -> this.followers.get(other.member()) != other || !isAnswering(other)
						|| !other.isVouchedFor());
			if (isLost) {
				lose(follower);
			}
		}
	}

	private void named(Follower follower, Arrivals.Name name) {
		Key key = name.key();
		ReplicaSet set = this.lists.replicasOf(key);
		Summary summary = name.summary();
		// The ranges that are asked for may be wider than those of the watches.
		if (!this.watches.any(key, (_) -> true) || !isNamedBy(set, follower.member()) || isKnown(key, summary)) {
			return;
		}
		Unconfirmed each = this.unconfirmed.computeIfAbsent(key, (_) -> new Unconfirmed(key, now()));
		each.isKnownAsOf(follower.completeMillis());
		Unconfirmed.Candidate candidate = each.named(follower.member(), name.sequence(), summary);
		// Others may have named a newer one before a watch began.
		boolean isLate = follower.completeNanos() - this.startedNanos < 0;
		if (!name.isCertain() || isLate) {
			candidate.members().remove(follower.member());
			each.doubt();
			queue(each);
			return;
		}
		if (isMajority(set, candidate.members())) {
			confirmed(each, candidate);
		}
	}

	private boolean isKnown(Key key, Summary summary) {
		Reported last = this.reported.get(key);
		return last != null && !summary.timestamp().isAfter(last.timestamp());
	}

	private static boolean isNamedBy(ReplicaSet set, String member) {
		return set.sides().getFirst().stream().anyMatch((replica) -> replica.nodeId().equals(member));
	}

	/** Whether members are a majority of the replicas that decide of a key. */
	boolean isMajority(Key key, Set<String> members) {
		return isMajority(this.lists.replicasOf(key), members);
	}

	private static boolean isMajority(ReplicaSet set, Set<String> members) {
		List<Replica> deciding = set.sides().getFirst();
		long count = deciding.stream().filter((replica) -> members.contains(replica.nodeId())).count();
		return count > deciding.size() / 2;
	}

	/** Whether a member is a replica that decides of a key. */
	boolean isDeciding(Key key, String member) {
		return isNamedBy(this.lists.replicasOf(key), member);
	}

	/*
	 * While a newer entry is unconfirmed, a client may know it from another node: the
	 * older one is left out.
	 */
	private void confirmed(Unconfirmed each, Unconfirmed.Candidate candidate) {
		if (!each.isNewest(candidate)) {
			return;
		}
		Summary summary = candidate.summary();
		if (needsValue(each.key(), summary)) {
			each.confirm(candidate);
			queue(each);
			return;
		}
		this.metrics.confirmedByMajority();
		report(each.key(), summary, event(each.key(), summary, null));
	}

	private boolean needsValue(Key key, Summary summary) {
		return !isAbsent(summary) && summary.valueSizeBytes() <= WatchTerms.MOST_VALUE_BYTES
				&& this.watches.any(key, Listener::hasValues);
	}

	/**
	 * Whether an entry is a deletion, or has expired by the time on which the members
	 * agree: no clock alone says that.
	 */
	boolean isAbsent(Versioned entry) {
		if (entry.isTombstone() || entry.expiryMillis() == Versioned.NEVER) {
			return entry.isTombstone();
		}
		long millis = this.surroundings.clocks().trueMillis().getAsLong();
		return millis != TrueTime.UNKNOWN && entry.expiryMillis() <= millis;
	}

	/** Whether an entry only says that a round has found none: that is no event. */
	static boolean isOfNothing(Versioned entry) {
		return entry.version().equals(Timestamp.ZERO);
	}

	/** A deletion of which no more than the version is known. */
	static Summary deletion(Timestamp version) {
		return new Summary(version, true, Entry.ALL, Versioned.NEVER, 0);
	}

	/** The event of an entry. */
	WatchEvent.OfKey event(Key key, Summary entry, WatchEvent.@Nullable Content content) {
		return isAbsent(entry) ? new WatchEvent.Delete(key, entry.version())
				: new WatchEvent.Put(key, entry.version(), entry.valueSizeBytes(), entry.expiryMillis(), content);
	}

	private void report(Key key, Versioned entry, WatchEvent.OfKey event) {
		Reported last = this.reported.get(key);
		boolean isNews = last == null || entry.timestamp().isAfter(last.timestamp());
		Timestamp settled = (last == null || isNews) ? entry.timestamp() : last.timestamp();
		Unconfirmed each = this.unconfirmed.get(key);
		if (each != null) {
			each.reported(settled);
			if (each.isSettled()) {
				this.unconfirmed.remove(key);
			}
		}
		if (!isNews) {
			return;
		}
		this.reported.remove(key);
		this.reported.put(key, Reported.of(entry));
		if (isOfNothing(entry) || (last != null && last.isSame(entry))) {
			return;
		}
		for (Listener watch : this.watches.of(key)) {
			watch.offer(event, entry.timestamp());
			this.busy.add(watch);
		}
	}

	/* Reads what is to be read, as far as the bound permits. */
	private void settle() {
		while (this.reads < MOST_READS && !this.due.isEmpty()) {
			Unconfirmed each = this.due.remove();
			each.unqueue();
			if (this.unconfirmed.get(each.key()) == each && !each.isReading() && isDue(each)) {
				read(each, false);
			}
		}
	}

	private void queue(Unconfirmed each) {
		if (each.queue()) {
			this.due.add(each);
		}
	}

	private boolean isDue(Unconfirmed each) {
		return each.isUrgent() || now() - each.sinceNanos() >= CONFIRM_NANOS;
	}

	/*
	 * A majority may leave out the member that has named an entry. Whether that is held
	 * only a read of all replicas tells for good. While one of them does not answer, the
	 * entry stays open, and cursors stay before it.
	 */
	private void read(Unconfirmed each, boolean isOfAll) {
		long begunMillis = this.surroundings.clocks().millis().getAsLong();
		each.begunReading();
		read(each.key(), isOfAll, (outcome) -> {
			if (this.unconfirmed.get(each.key()) != each) {
				return;
			}
			if (outcome == null) {
				each.failed(now() + (isOfAll ? OPEN_NANOS : 0));
				return;
			}
			boolean isSettled = readBy(each, outcome, isOfAll) || isOfAll;
			if (!isOfAll) {
				each.isNotHeldAsOf(begunMillis);
			}
			if (isSettled) {
				settled(each);
			}
			else {
				read(each, true);
			}
		});
	}

	/**
	 * Takes note of an entry that a member holds and no majority has shown.
	 * @param number number of its arrival
	 */
	void open(Follower follower, Key key, long number, Summary summary) {
		if (!isKnown(key, summary)) {
			Unconfirmed each = this.unconfirmed.computeIfAbsent(key, (_) -> new Unconfirmed(key, now()));
			each.isKnownAsOf(follower.completeMillis());
			each.named(follower.member(), number, summary);
		}
	}

	/**
	 * Reads a key by a majority, or by all of its replicas.
	 * @param then receives the outcome, {@code null} for none, in a turn
	 */
	void read(Key key, boolean isOfAll, Consumer<@Nullable ReadOutcome> then) {
		this.reads++;
		this.surroundings.reads()
			.of(key, isOfAll)
			.subscribe((outcome) -> this.surroundings.turns().execute(() -> wasRead(outcome, then)),
					(_) -> this.surroundings.turns().execute(() -> wasRead(null, then)));
	}

	private void wasRead(@Nullable ReadOutcome outcome, Consumer<@Nullable ReadOutcome> then) {
		this.reads--;
		then.accept(outcome);
		go();
		ask();
	}

	/** Whether members have named an entry of a key that is not reported. */
	boolean isUnconfirmed(Key key) {
		return this.unconfirmed.containsKey(key);
	}

	/**
	 * Whether so many members have named all in a range that had arrived at an instant
	 * that the rest are no majority.
	 */
	boolean isComplete(ScanRange range, long nanos) {
		return isCovered(range, (follower) -> follower.isComplete(range, nanos));
	}

	/** Whether another read may begin. */
	boolean mayRead() {
		return this.reads < MOST_READS;
	}

	/**
	 * Reports what a read has found, unless something newer was named meanwhile. Where
	 * all replicas hold nothing of what was named, they have purged the key.
	 * @return whether all that was named before is no newer
	 */
	private boolean readBy(Unconfirmed each, ReadOutcome outcome, boolean isOfAll) {
		Key key = each.key();
		Summary found = switch (outcome) {
			case ReadOutcome.Found(var entry) -> Summary.of(entry);
			case ReadOutcome.Missing(var version) -> {
				Timestamp shown = (version == null && isOfAll) ? each.newestToRead() : version;
				yield (shown != null) ? deletion(shown) : null;
			}
		};
		if (found != null && !each.isOutdated(found.timestamp())) {
			this.metrics.confirmedByRead();
			report(key, found,
					event(key, found, (outcome instanceof ReadOutcome.Found(var entry)) ? content(entry) : null));
		}
		return !each.isOpenAfter((found != null) ? found.timestamp() : Timestamp.ZERO);
	}

	static WatchEvent.@Nullable Content content(Entry.Live entry) {
		return (entry.value().size() <= WatchTerms.MOST_VALUE_BYTES)
				? new WatchEvent.Content(entry.value(), entry.contentType()) : null;
	}

	private void settled(Unconfirmed each) {
		each.settled(now());
		if (each.isSettled()) {
			this.unconfirmed.remove(each.key(), each);
		}
	}

	/** The numbers up to which everything was reported. */
	Positions positions() {
		Positions known = this.positions;
		this.positions = (known != null) ? known : settledPositions();
		return this.positions;
	}

	private Positions settledPositions() {
		Map<Long, Long> byEpoch = new HashMap<>();
		for (Follower follower : this.followers.values()) {
			if (follower.isKnown() && follower.isSettled()) {
				long number = follower.position();
				for (Unconfirmed each : this.unconfirmed.values()) {
					Long open = each.numberOf(follower.member());
					number = (open != null) ? Math.min(number, open - 1) : number;
				}
				byEpoch.put(follower.epoch(), number);
			}
		}
		return new Positions(byEpoch);
	}

	/**
	 * The instant before which all that was acknowledged is reported, of a range that has
	 * cover.
	 */
	long asOfMillis() {
		long asOf = Long.MAX_VALUE;
		for (Follower follower : this.followers.values()) {
			if (isReached(follower)) {
				asOf = Math.min(asOf, follower.completeMillis());
			}
		}
		for (Unconfirmed each : this.unconfirmed.values()) {
			asOf = Math.min(asOf, each.asOfMillis());
		}
		return asOf;
	}

	/** The same, and no newer than the deletions that are not reported. */
	long baseMillis() {
		Long known = this.baseMillis;
		if (known != null) {
			return known;
		}
		long base = asOfMillis();
		for (Unconfirmed each : this.unconfirmed.values()) {
			base = Math.min(base, each.oldestMillis());
		}
		this.baseMillis = base;
		return base;
	}

	/** Whether a member answers, and others have named what was left out there. */
	boolean isReached(Follower follower) {
		return isAnswering(follower) && follower.isVouchedFor();
	}

	/** Whether a member answers. */
	boolean isAnswering(Follower follower) {
		return follower.isReached(now(), REACH_NANOS);
	}

	/** Whether so many members are reached that none of a range is left out. */
	boolean isReached(ScanRange range) {
		if (isOneKey(range)) {
			return isCovered(range, this::isReached);
		}
		if (this.isAllReached == null) {
			this.isAllReached = isCovered(range, this::isReached);
		}
		return this.isAllReached;
	}

	private static boolean isOneKey(ScanRange range) {
		return range.equals(ScanRange.only(range.start()));
	}

	/** The members that are not reached. */
	List<String> unreached() {
		List<String> members = new ArrayList<>();
		for (Follower follower : this.followers.values()) {
			if (!isReached(follower)) {
				members.add(follower.member());
			}
		}
		return members;
	}

	/**
	 * Whether certain members are enough, so that each majority of the replicas of a key
	 * includes one of them.
	 */
	boolean isCovered(ScanRange range, Predicate<Follower> which) {
		return isCovered(isOneKey(range) ? List.of(this.lists.replicasOf(range.start())) : this.lists.everySet(), which,
				false);
	}

	private boolean isCovered(Iterable<ReplicaSet> sets, Predicate<Follower> which, boolean isOfDeciding) {
		for (ReplicaSet set : sets) {
			List<List<Replica>> sides = isOfDeciding ? set.sides().subList(0, 1) : set.sides();
			for (List<Replica> side : sides) {
				long count = side.stream().filter((replica) -> isOne(replica.nodeId(), which)).count();
				if (count < side.size() - side.size() / 2) {
					return false;
				}
			}
		}
		return true;
	}

	private boolean isOne(String member, Predicate<Follower> which) {
		Follower follower = this.followers.get(member);
		return follower != null && which.test(follower);
	}

}
