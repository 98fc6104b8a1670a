package io.quorate.membership.agreement;

import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.members.Layouts;
import org.jspecify.annotations.Nullable;

/**
 * The wait for the peers that join by a layout which is decided, before this node adopts
 * it: where a key has one copy, no other replica could answer in the place of one that is
 * not connected yet. Nothing is blocked meanwhile: this node serves by the layout of
 * before, and votes and learns by the later one.
 * <p>
 * The wait is shorter than the time that a request has by default. A member that has
 * adopted the layout refuses what this node has planned by the one of before, and such a
 * request is planned anew when this node has adopted it, too.
 * <p>
 * Of the thread that adopts layouts, but for {@link #isAwaited}.
 */
public final class JoiningPeers {

	/**
	 * Time for which peers are awaited at the most, from the first decision that is not
	 * adopted yet: half of the time that a request has by default.
	 */
	static final Duration LIMIT = Duration.ofMillis(500);

	private final Layouts layouts;

	private final LongSupplier nanos;

	/* Of a node that serves clients; without it, nothing is awaited. */
	private @Nullable Predicate<String> isReached;

	private BooleanSupplier hasMetMajority = () -> false;

	private @Nullable Long untilNanos;

	/* Version whose adoption does not wait any more. */
	private long last = Layout.FIRST;

	private volatile Set<String> awaited = Set.of();

	/** Nothing is awaited before {@link #begin}. */
	JoiningPeers(Layouts layouts, LongSupplier nanos) {
		this.layouts = layouts;
		this.nanos = nanos;
	}

	/**
	 * Begins to wait: this node serves clients from now on.
	 * @param reached whether a peer can be sent requests of every size, by its id
	 * @param hasMetMajority whether this node has met a majority since its start
	 */
	public void begin(Predicate<String> reached, BooleanSupplier hasMetMajority) {
		this.isReached = reached;
		this.hasMetMajority = hasMetMajority;
	}

	/**
	 * Whether the adoption of a layout is to wait. From the first call on, the peers that
	 * join by it are known, and so connected to. A version that need not wait once need
	 * not any more.
	 */
	boolean areAwaited(long version, LayoutRecord later) {
		Predicate<String> reached = this.isReached;
		if (reached == null || version <= this.last || !isServing()) {
			return false;
		}
		long instant = this.nanos.getAsLong();
		if (this.untilNanos == null) {
			this.untilNanos = instant + LIMIT.toNanos();
		}
		Set<String> joining = this.layouts.expect(later);
		// Before the question, so that none is reached between it and this.
		this.awaited = joining;
		if (instant - this.untilNanos < 0 && !joining.stream().allMatch(reached)) {
			return true;
		}
		this.last = version;
		this.awaited = Set.of();
		return false;
	}

	/*
	 * A candidate takes no requests, and its members may be down. Nor does a node that
	 * starts with a layout that is long past, whose members may refuse it.
	 */
	private boolean isServing() {
		return this.hasMetMajority.getAsBoolean() && this.layouts.isMember() && !this.layouts.awaitsSeed()
				&& !this.layouts.isOvertaken();
	}

	/** The latest decision is adopted: the next one has a wait of its own. */
	void adopted() {
		this.untilNanos = null;
		this.awaited = Set.of();
	}

	/** The latest decision cannot be adopted: nothing is left of the wait for it. */
	void givenUp() {
		adopted();
		this.layouts.expectNone();
	}

	/** Whether an adoption waits for a peer; by any thread. */
	public boolean isAwaited(String peer) {
		return this.awaited.contains(peer);
	}

	/** The time after which the adoption does not wait any more, if one waits. */
	public @Nullable Duration remaining() {
		Long until = this.untilNanos;
		return (until != null && !this.awaited.isEmpty())
				? Duration.ofNanos(Math.max(0, until - this.nanos.getAsLong())) : null;
	}

}
