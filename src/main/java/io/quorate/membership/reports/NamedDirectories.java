package io.quorate.membership.reports;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.storage.StoreIdentity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule that a member is the process with the directory that the layout names. Nothing
 * here waits; safe for any number of threads.
 * <ol>
 * <li>Of two processes with one id that are alive the one whose directory is named keeps
 * its connections, and the other one is refused. If none is named, or both are, because
 * one has a copy of the directory, the first keeps them.</li>
 * <li>A process whose directory is not named is admitted while the named one is gone: it
 * may stand for a lost one. What it acknowledges counts once it is named, or if it cannot
 * be, because no {@linkplain io.quorate.membership.layout.LayoutFacts#isMajorityLeft
 * majority} of the named directories is left to decide.</li>
 * <li>It is not named while the directory that it would replace is alive, or was a moment
 * ago.</li>
 * </ol>
 */
final class NamedDirectories implements MemberProcesses, LayoutFollower {

	/**
	 * Time after which a process that has lost its connections is gone: one that is alive
	 * connects anew several times within it.
	 */
	static final Duration RETURN = Duration.ofSeconds(5);

	/** Time for which two processes are shown after the last attempt of the second. */
	static final Duration SHOWN = Duration.ofSeconds(15);

	private static final Logger log = LoggerFactory.getLogger(NamedDirectories.class);

	private static final Duration SAID_AFTER = Duration.ofSeconds(1);

	private static final Duration SAID_AGAIN = Duration.ofMinutes(1);

	private final Layouts layouts;

	private final StoreIdentity identity;

	private final LongSupplier nanos;

	private final long begunNanos;

	private final Map<String, List<Entered>> present = new HashMap<>();

	/* Instants at which the named directories were connected last. */
	private final Map<UUID, Long> goneNanos = new HashMap<>();

	private final Map<String, Conflict> conflicts = new TreeMap<>();

	/* By the peers that refuse this process. */
	private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();

	private volatile boolean isAnyTaken;

	NamedDirectories(Layouts layouts, StoreIdentity identity, LongSupplier nanos) {
		this.layouts = layouts;
		this.identity = identity;
		this.nanos = nanos;
		this.begunNanos = nanos.getAsLong();
		layouts.follow(this);
	}

	/**
	 * Whether a directory is that of a member now. The first layout names none.
	 */
	private boolean isOf(String member, UUID directory) {
		UUID named = this.layouts.current().directoryOf(member);
		return named == null || named.equals(directory) || this.isAnyTaken;
	}

	/**
	 * Notes whether directories count that the layout does not name, because no majority
	 * of those that it names is left to name others.
	 */
	void takesAny(boolean isUndecidable) {
		this.isAnyTaken = isUndecidable;
	}

	/**
	 * The reason for which this process is not the member of its id, in words;
	 * {@code null} when it is.
	 */
	@Nullable String displaced() {
		Refusal refusal = refusal();
		if (refusal != null) {
			return words(this.layouts.self(), refusal.addresses());
		}
		return isOf(this.layouts.self(), this.identity.storageId()) ? null
				: "the layout names another directory as %s: this one serves once a majority of the members is connected to it, and has named it"
					.formatted(this.layouts.self());
	}

	/*
	 * A peer that refuses this process says so several times within the time to return,
	 * and one that has stopped says nothing.
	 */
	private @Nullable Refusal refusal() {
		if (this.refusals.isEmpty()) {
			return null;
		}
		long now = this.nanos.getAsLong();
		return this.refusals.values()
			.stream()
			.filter((each) -> now - each.saidNanos() < RETURN.toNanos())
			.findFirst()
			.orElse(null);
	}

	/** Words about each member of which there are two processes. */
	synchronized List<String> conflicts() {
		this.conflicts.values().removeIf((conflict) -> !isKept(conflict));
		return this.conflicts.entrySet()
			.stream()
			.filter((conflict) -> conflict.getValue().isShown)
			.map((conflict) -> words(conflict.getKey(), conflict.getValue().addresses))
			.toList();
	}

	private static String words(String member, String addresses) {
		return "two processes are %s: %s".formatted(member, addresses);
	}

	/**
	 * The directories with which members are alive as far as this node knows, by their
	 * ids: no other is to be named in the place of one of them.
	 */
	synchronized Map<String, UUID> alive() {
		long now = this.nanos.getAsLong();
		Map<String, UUID> alive = new HashMap<>();
		this.present.forEach((member, all) -> all.stream()
			.filter((each) -> each.isAlive(now))
			.findFirst()
			.ifPresent((each) -> alive.put(member, each.its.directory())));
		this.layouts.current().directories().forEach((member, named) -> {
			if (now - lastHeard(member, named) < RETURN.toNanos()) {
				alive.put(member, named);
			}
		});
		alive.put(this.layouts.self(), this.identity.storageId());
		return alive;
	}

	private long lastHeard(String member, UUID directory) {
		return with(member, directory).mapToLong((each) -> each.heardNanos)
			.reduce(this.goneNanos.getOrDefault(directory, this.begunNanos), NamedDirectories::later);
	}

	private static long later(long one, long other) {
		return (one - other > 0) ? one : other;
	}

	@Override
	public Presence enter(MemberProcess its, Runnable dismissal) {
		Entered entered = new Entered(its, dismissal);
		List<Entered> others = new ArrayList<>();
		synchronized (this) {
			List<Entered> all = this.present.getOrDefault(its.member(), new ArrayList<>());
			all.stream().filter((each) -> each.its.isOther(its)).forEach(others::add);
			Entered rival = others.stream()
				.filter((each) -> each.isAlive(this.nanos.getAsLong()))
				.findFirst()
				.orElse(null);
			if (rival != null && (!isNamed(its) || isNamed(rival.its))) {
				entered.refusal = note(rival.its, its);
				return entered;
			}
			if (rival != null) {
				note(its, rival.its);
			}
			others.forEach(Entered::end);
			all.add(entered);
			this.present.put(its.member(), all);
		}
		others.forEach((each) -> each.dismissal.run());
		return entered;
	}

	private boolean isNamed(MemberProcess its) {
		return its.directory().equals(this.layouts.current().directoryOf(its.member()));
	}

	private String note(MemberProcess first, MemberProcess second) {
		String addresses = addressOf(first) + " and " + addressOf(second);
		note(first.member(), addresses);
		return addresses;
	}

	/* The first connections of a new cluster do not say where their nodes listen. */
	private String addressOf(MemberProcess its) {
		return Stream.concat(Stream.of(its), with(its.member(), its.directory()).map((each) -> each.its))
			.filter((each) -> each.number() != 0 && !each.isOther(its))
			.findFirst()
			.orElse(its)
			.address();
	}

	/*
	 * One line a minute for each member, whatever addresses its peers report, and none
	 * for what is over at once: a process that dies may have connections for a moment.
	 */
	private synchronized void note(String member, String addresses) {
		long now = this.nanos.getAsLong();
		Conflict known = this.conflicts.get(member);
		Conflict conflict = (known != null && isKept(known)) ? known : new Conflict(now);
		conflict.addresses = addresses;
		conflict.lastNanos = now;
		this.conflicts.put(member, conflict);
		if (now - conflict.toSayNanos >= 0) {
			log.error("{}. The first one is the member, the other one acknowledges nothing: stop one of them",
					words(member, addresses));
			conflict.isShown = true;
			conflict.toSayNanos = now + SAID_AGAIN.toNanos();
		}
	}

	private boolean isKept(Conflict conflict) {
		return this.nanos.getAsLong() - conflict.lastNanos < SHOWN.toNanos();
	}

	@Override
	public void refusedBy(String peer, @Nullable String addresses) {
		if (addresses != null) {
			this.refusals.put(peer, new Refusal(addresses, this.nanos.getAsLong()));
			note(this.layouts.self(), addresses);
		}
		else {
			this.refusals.remove(peer);
		}
	}

	@Override
	public void toldOf(String addresses) {
		note(this.layouts.self(), addresses);
	}

	@Override
	public synchronized @Nullable String addressesOf(String member, UUID directory) {
		Conflict conflict = this.conflicts.get(member);
		return (conflict != null && isKept(conflict) && isPresent(member, directory)) ? conflict.addresses : null;
	}

	/** Whether a process with a directory is connected to this node as a member. */
	synchronized boolean isPresent(String member, UUID directory) {
		return with(member, directory).findAny().isPresent();
	}

	private Stream<Entered> with(String member, UUID directory) {
		return this.present.getOrDefault(member, List.of())
			.stream()
			.filter((each) -> each.its.directory().equals(directory));
	}

	/**
	 * A process that was the member until now is closed once the named one is connected.
	 */
	@Override
	public void adopted(Layout now) {
		List<Entered> displaced = new ArrayList<>();
		synchronized (this) {
			this.goneNanos.keySet().retainAll(now.directories().values());
			this.present.forEach((member, all) -> {
				UUID named = now.directoryOf(member);
				if (named != null && isPresent(member, named)) {
					all.stream().filter((each) -> !each.its.directory().equals(named)).forEach(displaced::add);
					all.removeAll(displaced);
				}
			});
		}
		displaced.forEach((each) -> each.dismissal.run());
	}

	@Override
	public void left(String peer) {
		this.refusals.remove(peer);
		synchronized (this) {
			this.conflicts.remove(peer);
		}
	}

	/** A connection of a process. */
	private final class Entered implements Presence {

		private final MemberProcess its;

		private final Runnable dismissal;

		private volatile long heardNanos;

		private @Nullable String refusal;

		private Entered(MemberProcess its, Runnable dismissal) {
			this.its = its;
			this.dismissal = dismissal;
			heard();
		}

		private boolean isAlive(long now) {
			return now - this.heardNanos < this.its.patience().toNanos();
		}

		@Override
		public @Nullable String refusal() {
			return this.refusal;
		}

		@Override
		public boolean counts() {
			return isOf(this.its.member(), this.its.directory());
		}

		@Override
		public void heard() {
			this.heardNanos = NamedDirectories.this.nanos.getAsLong();
		}

		@Override
		public void end() {
			synchronized (NamedDirectories.this) {
				List<Entered> all = NamedDirectories.this.present.get(this.its.member());
				if (all != null && all.remove(this) && isNamed(this.its)) {
					NamedDirectories.this.goneNanos.merge(this.its.directory(), this.heardNanos,
							NamedDirectories::later);
				}
				if (all != null && all.isEmpty()) {
					NamedDirectories.this.present.remove(this.its.member());
				}
			}
		}

	}

	/** The words of a peer that refuses this process. */
	private record Refusal(String addresses, long saidNanos) {
	}

	/** Two processes of one member. */
	private static final class Conflict {

		private String addresses = "";

		private long lastNanos;

		private long toSayNanos;

		private boolean isShown;

		private Conflict(long begunNanos) {
			this.toSayNanos = begunNanos + SAID_AFTER.toNanos();
		}

	}

}
