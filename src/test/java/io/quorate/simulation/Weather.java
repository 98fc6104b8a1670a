package io.quorate.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;

import io.quorate.replica.Failure.Reason;
import io.quorate.simulation.Clients.Mode;
import io.quorate.simulation.Clients.Promise;
import org.jspecify.annotations.Nullable;

/**
 * The adversity of one run: each run has some kinds of faults often, and others not at
 * all. The fate of a message depends on the seed, its instant and its ends, not on what
 * else has happened: so the order of things that happen at one instant does not matter.
 */
final class Weather {

	private static final long USUAL_MICROS = 900;

	private static final Reason[] REFUSALS = { Reason.OVERLOADED, Reason.DISK_FULL, Reason.DRAINING };

	private final long seed;

	/* In a thousand. */
	int lost;

	/* Of requests to replicas and their answers. */
	int lostRequests;

	int slow;

	/* Of messages about the layout, and of keep-alives, to and from slow nodes. */
	int slowLayouts;

	Duration slowest = Duration.ofSeconds(8);

	/* Of the steps of an adoption, and of votes. */
	int crashes;

	int stalls;

	Duration longestStall = Duration.ofSeconds(14);

	/* Of a hundred seconds. */
	int kills;

	int cuts;

	int lostDisks;

	/* Of a hundred moments of a change. */
	int aborts = 10;

	/* Of a hundred changes. */
	int factors = 20;

	/* Of a hundred requests. */
	int writes = 40;

	/* Of a hundred changes, those that another operator competes with. */
	int rivals = 25;

	/* Longest time until the next change is asked for. */
	Duration pause = Duration.ofSeconds(3);

	/* Whether operators declare members dead. */
	boolean isDeclaring;

	/* Hints are handed over so long after their writes; none are kept if it is zero. */
	Duration hints = Duration.ofSeconds(1);

	Duration longestTimeout = Duration.ofSeconds(4);

	Duration grace = Duration.ofHours(1);

	Duration comparisons = Duration.ofSeconds(40);

	/* Time between two faults of machines, and longest time for which one is away. */
	Duration faults = Duration.ofSeconds(1);

	Duration longestAway = Duration.ofSeconds(12);

	/** Whether clients ask as fast as nodes answer, and scan, and have values expire. */
	boolean isDense;

	/** With which consistency all keys are written and read; null for some of each. */
	@Nullable Mode mode;

	/* Of a hundred dense requests, those that go through the register of their key. */
	int conditional;

	int mostSkewMillis = 399;

	Duration believed = Duration.ofHours(1);

	/* A value of more bytes is left out of answers to some reads. */
	int digestAbove = Integer.MAX_VALUE;

	int mostOnAPage = Integer.MAX_VALUE;

	/* Of requests to replicas, in a thousand. */
	int refused;

	/* Those of which the answer is broken, and those that come twice. */
	int broken;

	int doubled;

	/* Of entries that come to a store which has younger ones. */
	int filterErrors;

	/* Of a hundred faults. */
	int standstills;

	int clocks;

	boolean isCalm;

	/**
	 * The weather of a run.
	 * @param bug fault that is planted: the adversity is such as brings it out; without
	 * one it is that of any of them
	 */
	Weather(long seed, PlantedBug bug) {
		this.seed = seed;
		Random random = random(1);
		/* Those after it need no adversity of their own. */
		List<PlantedBug> all = List.copyOf(EnumSet.range(PlantedBug.NONE, PlantedBug.NO_PREPARE));
		PlantedBug drawn = all.get(random.nextInt(all.size()));
		this.lost = random.nextInt(3) == 0 ? random.nextInt(60) : 0;
		this.lostRequests = random.nextInt(4) == 0 ? 10 : 100 + random.nextInt(250);
		this.slow = random.nextInt(40);
		this.slowLayouts = random.nextBoolean() ? 500 + random.nextInt(450) : 0;
		this.kills = random.nextInt(3) == 0 ? random.nextInt(15) : 0;
		this.cuts = random.nextInt(3) == 0 ? random.nextInt(15) : 0;
		this.crashes = random.nextInt(3) == 0 ? random.nextInt(80) : 0;
		this.hints = Duration.ofSeconds(random.nextInt(3) == 0 ? 1 : 0);
		bringOut((bug != PlantedBug.NONE) ? bug : drawn, random);
	}

	/**
	 * The weather in which nothing goes wrong by chance, and no node compares its entries
	 * with another one's unless deletions are purged.
	 */
	static Weather calm(boolean isPurging) {
		Weather weather = new Weather(0, PlantedBug.NONE);
		weather.isCalm = true;
		weather.isDeclaring = false;
		weather.lostDisks = 0;
		weather.grace = Duration.ofHours(1);
		weather.comparisons = Duration.ofHours(1);
		weather.hints = Duration.ZERO;
		if (isPurging) {
			weather.purges();
			weather.hints = Duration.ofMillis(100);
		}
		return weather;
	}

	/**
	 * The weather of a run in which requests meet each other and faults of all kinds.
	 * @param mode consistency of all requests
	 * @param mostSkewMillis most that the clock of a node is ahead
	 * @param believed how far ahead a timestamp may be
	 */
	static Weather dense(long seed, Mode mode, int mostSkewMillis, Duration believed, int digestAbove) {
		Weather weather = new Weather(seed, PlantedBug.NONE);
		weather.isDense = true;
		weather.mode = mode;
		weather.mostSkewMillis = mostSkewMillis;
		weather.believed = believed;
		weather.digestAbove = digestAbove;
		weather.mostOnAPage = 2;
		weather.lost = 0;
		weather.lostRequests = 30;
		weather.slow = 60;
		weather.slowest = Duration.ofMillis(600);
		weather.slowLayouts = 300;
		weather.refused = 80;
		weather.broken = 30;
		weather.doubled = 40;
		weather.filterErrors = 200;
		weather.crashes = 0;
		weather.stalls = 0;
		weather.faults = Duration.ofMillis(500);
		weather.longestAway = Duration.ofMillis(500);
		weather.kills = 15;
		weather.cuts = 30;
		weather.standstills = 15;
		weather.clocks = 15;
		/* What is written to fewer nodes may be gone with one of them. */
		weather.lostDisks = (mode.promise() != Promise.NOTHING && mode.isWrittenByMajority()) ? 15 : 0;
		weather.pause = Duration.ofSeconds(1);
		weather.isDeclaring = false;
		weather.hints = Duration.ZERO;
		weather.longestTimeout = Duration.ofSeconds(1);
		weather.grace = Duration.ofHours(1);
		weather.comparisons = Duration.ofHours(1);
		return weather;
	}

	private void bringOut(PlantedBug bug, Random random) {
		switch (bug) {
			case NONE, OPEN_GATE, NO_REPAIR, LATE_WORK, DEAF_CLOCK, BELIEVES_ALL, FORGETS_MISSES, PROMISE_NOT_DURABLE,
					WRITE_PASSES, REPAIR_PASSES, NO_SETTLE, RELEASE_TO_NONE, PROMISE_FORGOTTEN, AMNESIAC_ACKS,
					BLIND_LOOK, SUPERSEDED_ACKS, UNCHOSEN_HINTS, AMNESIAC_PROMISES, NEW_VERSION ->
				{
				}
			case NO_COPY, COPY_ONE -> bringOutMisses();
			case DOWN_GAIN -> {
				bringOutMisses();
				this.factors = 90;
			}
			case NO_FENCE -> {
				this.slow = 100 + random.nextInt(150);
				this.slowest = Duration.ofSeconds(16);
				this.longestTimeout = Duration.ofSeconds(20);
			}
			case TAKES_EARLY, WRITE_OLD, WRITE_NEW, READ_OLD, READ_NEW, HOLD_OLD, COPY_EARLY, STARTS_BEHIND -> {
				this.slowLayouts = 930 + random.nextInt(60);
				this.slowest = Duration.ofSeconds(12);
				bringOutMisses();
			}
			case NO_BARRIER -> {
				this.stalls = 300 + random.nextInt(300);
				this.slowest = Duration.ofSeconds(1);
				this.longestTimeout = Duration.ofSeconds(20);
				this.hints = Duration.ZERO;
			}
			case NO_FLOOR, PURGE_OLD, GAINER_HINTS, NO_HORIZON, KEEP_MARKS -> {
				purges();
				this.lost = 0;
				this.slowLayouts = 0;
				this.crashes = 0;
				this.cuts = 0;
				this.writes = 12;
				this.lostRequests = 30;
				this.factors = (bug == PlantedBug.NO_FLOOR) ? 0 : 20;
				this.pause = Duration.ofSeconds(12);
				this.hints = Duration.ofSeconds((bug == PlantedBug.PURGE_OLD) ? 0 : 1 + random.nextInt(20));
			}
			case BY_NAME -> {
				this.lostDisks = 30;
				this.slowLayouts = 500 + random.nextInt(450);
				this.slowest = Duration.ofSeconds(3);
				this.rivals = 100;
			}
			case NO_PREPARE -> {
				this.rivals = 100;
				this.crashes = 50;
				this.lost = 250;
			}
		}
		this.isDeclaring = this.lostDisks == 0 && random.nextInt(4) == 0;
	}

	/* Replicas miss writes, and nothing but reads repairs them. */
	private void bringOutMisses() {
		this.lostRequests = 350;
		this.hints = Duration.ZERO;
	}

	/* Deletions are purged soon, and so no request may take long. */
	private void purges() {
		this.longestTimeout = Duration.ofMillis(1500);
		this.slowest = Duration.ofMillis(1200);
		this.grace = Duration.ofSeconds(2);
		this.comparisons = Duration.ofSeconds(1);
	}

	/** Why a request to a replica is refused, {@code null} if it is not. */
	@Nullable Reason refusal(Random random) {
		return goesWrong(random, this.refused) ? REFUSALS[random.nextInt(REFUSALS.length)] : null;
	}

	boolean isPurging() {
		return this.grace.toMinutes() < 1;
	}

	/**
	 * Whether one copy of what was acknowledged is enough for as long as it is to be
	 * there: no disk is lost, and no member declared dead.
	 */
	boolean isOneCopyEnough() {
		return this.lostDisks == 0 && !this.isDeclaring;
	}

	/** A source of random numbers of its own. */
	Random random(long purpose) {
		return new Random(this.seed * 0x9E3779B97F4A7C15L + purpose * 0xC2B2AE3D27D4EB4FL);
	}

	/** The random numbers of what happens at an instant. */
	Random at(long nanos, int what) {
		return random(nanos * 31 + what);
	}

	/** Whether something that goes wrong in so many of a thousand cases does. */
	boolean goesWrong(Random random, int thousandths) {
		return random.nextInt(1000) < thousandths && !this.isCalm;
	}

	/** The fate of a message. */
	Fate fate(Random random, int slowness) {
		return fate(random, slowness, this.lost);
	}

	/** The fate of a request to a replica. */
	Fate ofRequest(Random random) {
		return fate(random, this.slow, this.lostRequests);
	}

	private Fate fate(Random random, int slowness, int losses) {
		return new Fate(goesWrong(random, losses), transit(random, slowness), goesWrong(random, losses / 2),
				transit(random, slowness));
	}

	private long transit(Random random, int slowness) {
		long micros = goesWrong(random, slowness) ? random.nextLong(this.slowest.toNanos() / 1000)
				: 50 + random.nextLong(USUAL_MICROS);
		return micros * 1000;
	}

	/** Nanoseconds until an entry is on a disk. */
	long disk(Random random) {
		return goesWrong(random, this.stalls) ? random.nextLong(this.longestStall.toNanos())
				: 100_000 + random.nextLong(2_000_000);
	}

	/**
	 * The fate of a request and its answer.
	 *
	 * @param there nanoseconds of the request
	 * @param back nanoseconds of the answer
	 */
	record Fate(boolean isLost, long there, boolean isAnswerLost, long back) {
	}

}
