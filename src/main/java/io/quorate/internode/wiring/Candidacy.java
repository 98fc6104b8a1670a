package io.quorate.internode.wiring;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.internode.peer.JoinLine;
import io.quorate.membership.layout.Endpoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The efforts of a candidate to become a member: it asks the nodes that it takes for
 * members, one after the other, again and again after a pause, until it is a member or
 * stops. To ask twice does no harm. A thread of its own waits for the answers.
 */
final class Candidacy implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(Candidacy.class);

	/* Between two requests, give or take a half. */
	private static final Duration PAUSE = Duration.ofSeconds(2);

	/* A member answers at once. */
	private static final Duration ANSWER = Duration.ofSeconds(2);

	/* Later than the port on which members reach this node. */
	private static final int PHASE = InternodeLifecycle.PHASE + 1;

	private final @Nullable Endpoint own;

	private final Supplier<List<Endpoint>> members;

	private final BooleanSupplier isMember;

	private final Function<Endpoint, Line> lines;

	private final Duration pause;

	/* What each member has said last. */
	private final Map<String, String> said = new HashMap<>();

	private volatile @Nullable CountDownLatch stopped;

	/** The way to a member. */
	@FunctionalInterface
	interface Line {

		/** As {@link JoinLine#ask}. */
		CompletableFuture<String> ask(String candidate, Duration limit);

	}

	/**
	 * Efforts that are not begun yet.
	 * @param own address of this node; {@code null} when it does not ask
	 * @param members nodes to ask now, one at least
	 * @param isMember whether this node is a member by now
	 * @param lines makes the way to a member
	 */
	Candidacy(@Nullable Endpoint own, Supplier<List<Endpoint>> members, BooleanSupplier isMember,
			Function<Endpoint, Line> lines) {
		this(own, members, isMember, lines, PAUSE);
	}

	Candidacy(@Nullable Endpoint own, Supplier<List<Endpoint>> members, BooleanSupplier isMember,
			Function<Endpoint, Line> lines, Duration pause) {
		this.own = own;
		this.members = members;
		this.isMember = isMember;
		this.lines = lines;
		this.pause = pause;
	}

	@Override
	public void start() {
		CountDownLatch end = new CountDownLatch(1);
		this.stopped = end;
		Endpoint address = this.own;
		if (address != null && !this.isMember.getAsBoolean()) {
			log.info("This node asks the members to have it join, as {}", address);
			Thread.ofVirtual().name("candidacy").start(() -> ask(address.toString(), end));
		}
	}

	private void ask(String address, CountDownLatch end) {
		Map<Endpoint, Line> ways = new HashMap<>();
		long millis = this.pause.toMillis();
		try {
			for (int turn = 0; !this.isMember.getAsBoolean(); turn++) {
				List<Endpoint> known = this.members.get();
				Endpoint member = known.get(turn % known.size());
				ways.keySet().retainAll(known);
				note(member.id(), answer(ways.computeIfAbsent(member, this.lines), address));
				if (end.await(ThreadLocalRandom.current().nextLong(millis / 2, millis + millis / 2 + 1),
						TimeUnit.MILLISECONDS)) {
					return;
				}
			}
			log.info("This node is a member of the cluster");
		}
		catch (InterruptedException stops) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException bug) {
			log.error("Bug: this node does not ask to join any more", bug);
		}
	}

	private static String answer(Line member, String address) {
		try {
			return member.ask(address, ANSWER).join();
		}
		catch (CompletionException failure) {
			return "no answer, %s".formatted(failure.getCause());
		}
	}

	private void note(String member, String words) {
		if (!words.equals(this.said.put(member, words))) {
			log.info("{} is asked to have this node join: {}", member, words);
		}
	}

	@Override
	public void stop() {
		CountDownLatch end = this.stopped;
		if (end != null) {
			end.countDown();
		}
		this.stopped = null;
	}

	@Override
	public boolean isRunning() {
		return this.stopped != null;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
