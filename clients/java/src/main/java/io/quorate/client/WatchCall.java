package io.quorate.client;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A watch that hands its events over as its subscriber asks for them, at one node after
 * the other. It keeps the place behind the last event that was handed over, and goes on
 * there; so what was lost with a connection comes again. Of the stream it holds what came
 * by one read: the rest waits in the connection.
 */
final class WatchCall implements UnderWay, Flow.Subscription, AnswerSink {

	/* A node sends a byte every 15 seconds. */
	private static final Duration SILENCE = Duration.ofSeconds(45);

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

	private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

	/* By then the pause is the longest. */
	private static final int MOST_DOUBLINGS = 6;

	/* A value has 64 KiB, and its key 1 KiB. */
	private static final int LONGEST_EVENT = 1024 * 1024;

	private static final int GONE = 410;

	private final Core core;

	private final CallOptions options;

	private final WatchOptions watch;

	private final Flow.Subscriber<? super WatchEvent> subscriber;

	private final Serial serial;

	private final List<String> nodes;

	private int turn;

	private volatile boolean isCancelled;

	private boolean hasStarted;

	private boolean hasEnded;

	private long demand;

	/* The place to go on, and that to begin when there is none yet. */
	private @Nullable String cursor;

	private @Nullable String start;

	/* Whether the subscriber knows of changes behind the beginning. */
	private boolean hasReported;

	private boolean hasConnected;

	private boolean isDisconnected;

	private int failures;

	private long askedPause;

	/* What the client itself has to say: at most one of a kind. */
	private final Deque<WatchEvent> notices = new ArrayDeque<>();

	private @Nullable Exchange exchange;

	private @Nullable Future<?> pause;

	private @Nullable Deadline deadline;

	private @Nullable Answer head;

	private @Nullable ServerSentEvents events;

	private @Nullable WholeBody refusal;

	private @Nullable Exception failure;

	WatchCall(Core core, CallOptions options, WatchOptions watch, Flow.Subscriber<? super WatchEvent> subscriber,
			Executor executor) {
		this.core = core;
		this.options = options;
		this.watch = watch;
		this.subscriber = subscriber;
		this.serial = new Serial(executor, this::stop);
		this.nodes = new ArrayList<>(core.nodes().order());
		this.start = watch.start();
	}

	/** Hands this subscription over. */
	void begin() {
		this.serial.execute(() -> this.subscriber.onSubscribe(this));
	}

	@Override
	public void request(long count) {
		this.serial.execute(() -> {
			if (this.hasEnded) {
				return;
			}
			if (count <= 0) {
				stop(new IllegalArgumentException("a subscriber asks for at least 1 event, not " + count));
				return;
			}
			this.demand = (this.demand + count < 0) ? Long.MAX_VALUE : this.demand + count;
			if (this.hasStarted) {
				pump();
			}
			else {
				this.hasStarted = true;
				ask();
			}
		});
	}

	@Override
	public void cancel() {
		this.isCancelled = true;
		this.serial.execute(() -> stop(null));
	}

	@Override
	public void abandon(UnavailableException reason) {
		this.serial.execute(() -> stop(reason));
	}

	private void stop(@Nullable Throwable error) {
		if (this.hasEnded) {
			return;
		}
		this.hasEnded = true;
		if (this.pause != null) {
			this.pause.cancel(false);
		}
		leave();
		this.core.remove(this);
		if (error != null && !this.isCancelled) {
			this.subscriber.onError(error);
		}
	}

	/* Nothing else of this answer is believed. */
	private void leave() {
		if (this.exchange != null) {
			this.exchange.abandon();
		}
		if (this.events != null && this.events.retry() != null) {
			this.askedPause = TimeUnit.MILLISECONDS.toNanos(this.events.retry());
		}
		this.exchange = null;
		this.head = null;
		this.events = null;
		this.refusal = null;
		this.failure = null;
	}

	private String node() {
		return this.nodes.get(this.turn % this.nodes.size());
	}

	private void ask() {
		this.pause = null;
		if (this.hasEnded) {
			return;
		}
		Transport transport = this.core.transport();
		Deadline fresh = new Deadline(this.options, transport::nanos);
		this.deadline = fresh;
		Request request = Requests.watch(this.watch, this.start, this.cursor);
		this.exchange = new Exchange(transport, this.serial, node(), request, fresh, this);
		this.exchange.start();
	}

	@Override
	public void head(Answer answer) {
		this.head = answer;
		String type = answer.field("content-type");
		if (answer.status() == Answers.OK && type != null
				&& type.toLowerCase(Locale.ROOT).startsWith(ServerSentEvents.MEDIA_TYPE)) {
			this.hasConnected = true;
			this.events = new ServerSentEvents(answer.node(), Math.min(LONGEST_EVENT, this.options.maxAnswerSize()));
			if (this.deadline != null) {
				this.deadline.endBySilence(SILENCE);
			}
			return;
		}
		if (answer.status() < 400) {
			throw answer.invalid("that is no stream of events");
		}
		this.refusal = new WholeBody(this.options.maxAnswerSize(), (whole) -> lost(refusalOf(whole)),
				(error, partial) -> lost(error));
		this.refusal.head(answer);
	}

	private static QuorateException refusalOf(Answer answer) {
		try {
			return Problems.errorOf(answer, false);
		}
		catch (InvalidAnswerException invalid) {
			return invalid;
		}
	}

	@Override
	public boolean bytes(ByteBuffer bytes) {
		if (this.events == null) {
			return this.refusal != null && this.refusal.bytes(bytes);
		}
		this.events.feed(bytes);
		this.serial.execute(this::pump);
		return false;
	}

	@Override
	public void end() {
		if (this.refusal != null) {
			this.refusal.end();
		}
		else {
			lost(TransportException.sent("the node has ended the answer", null));
		}
	}

	@Override
	public void failed(Exception error) {
		lost(error);
	}

	/* The events before it are handed over first. */
	private void lost(Exception error) {
		this.failure = error;
		pump();
	}

	private void pump() {
		while (!this.hasEnded && !this.isCancelled) {
			boolean hasEvent = !this.notices.isEmpty() || (this.events != null && !this.events.isEmpty());
			if (hasEvent) {
				if (this.demand == 0) {
					return;
				}
				next();
			}
			else if (this.failure != null) {
				attemptFailed(this.failure);
			}
			else {
				if (this.exchange != null && this.events != null && this.demand > 0) {
					this.exchange.more();
				}
				return;
			}
		}
	}

	private void next() {
		WatchEvent notice = this.notices.poll();
		if (notice != null) {
			emit(notice);
			return;
		}
		ServerSentEvents.Event event = (this.events != null) ? this.events.poll() : null;
		if (event == null || this.head == null) {
			return;
		}
		WatchEvent meaning;
		String place;
		try {
			meaning = WatchFormat.event(this.head, event);
			place = WatchFormat.cursor(this.head, event);
		}
		catch (InvalidAnswerException invalid) {
			attemptFailed(invalid);
			return;
		}
		if (meaning instanceof WatchEvent.Gap) {
			forget();
		}
		if (place != null) {
			this.cursor = place;
		}
		if (meaning != null) {
			note(meaning);
			emit(meaning);
		}
		else if (event.type().equals(WatchFormat.END)) {
			leave();
			again();
		}
	}

	private void note(WatchEvent event) {
		if (event instanceof WatchEvent.Put || event instanceof WatchEvent.Delete || event instanceof WatchEvent.Live) {
			this.hasReported = true;
			this.failures = 0;
			this.askedPause = 0;
			this.isDisconnected = false;
		}
	}

	private void emit(WatchEvent event) {
		this.demand--;
		this.subscriber.onNext(event);
	}

	/* What was reported is joined to nothing that comes: the state begins anew. */
	private void forget() {
		this.cursor = null;
		this.start = WatchOptions.STATE;
		this.hasReported = false;
	}

	private void attemptFailed(Exception error) {
		String node = node();
		leave();
		boolean isLost = error instanceof RefusedException refused && isGone(refused) && hasPlace();
		if (!isLost && isFinal(error)) {
			QuorateException last = (QuorateException) error;
			last.haveFailures(List.of(FailedAttempt.of(node, last)));
			stop(last);
			return;
		}
		if (isLost) {
			forget();
			this.notices.add(new WatchEvent.Gap(null));
		}
		else if (!this.isDisconnected) {
			this.isDisconnected = true;
			this.notices.add(new WatchEvent.Disconnected(FailedAttempt.of(node, error)));
		}
		if (error instanceof QuorateException refusal) {
			refusal.problem()
				.map(Problem::retryAfter)
				.ifPresent((time) -> this.askedPause = Math.max(this.askedPause, time.toNanos()));
		}
		again();
	}

	private static boolean isGone(QuorateException error) {
		return error.problem().map(Problem::status).filter((status) -> status == GONE).isPresent();
	}

	private boolean hasPlace() {
		return this.cursor != null || (this.start != null && !this.start.equals(WatchOptions.STATE));
	}

	/* Another node may do it, or the same one later. */
	private boolean isFinal(Exception error) {
		if (error instanceof TransportException || error instanceof UnavailableException) {
			return false;
		}
		if (error instanceof InvalidAnswerException invalid) {
			return invalid.status() >= 400 && invalid.status() < 500;
		}
		if (error instanceof TokenException) {
			return !this.hasConnected;
		}
		return !(error instanceof RefusedException refused && isGone(refused));
	}

	/** Goes on at the next node after a pause, which grows until an event comes. */
	private void again() {
		if (this.hasReported && !hasPlace()) {
			forget();
			this.notices.add(new WatchEvent.Gap(null));
		}
		this.turn++;
		long longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(this.failures, MOST_DOUBLINGS));
		this.failures++;
		// Many clients may have lost the same node.
		long random = ThreadLocalRandom.current().nextLong(longest / 2, longest);
		long nanos = Math.max(random, Math.min(LONGEST_PAUSE, this.askedPause));
		try {
			this.pause = this.core.transport().schedule(() -> this.serial.execute(this::ask), nanos);
		}
		catch (RejectedExecutionException closed) {
			stop(new CallInterruptedException("the client was closed", closed));
		}
	}

	@Override
	public String toString() {
		return "WatchCall[" + node() + "]";
	}

}
