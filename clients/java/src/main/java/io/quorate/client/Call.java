package io.quorate.client;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * A call under way: attempts at one node after the other, until there is an answer. Its
 * methods other than the constructor, {@link #start} and {@link #abandon} run as events
 * of {@link #serial}.
 *
 * @param <T> the kind of result
 */
abstract class Call<T> implements UnderWay {

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private final long began = System.nanoTime();

	private final Core core;

	private final Operation operation;

	private final CallOptions options;

	private final Deadline deadline;

	private final Serial serial;

	private Attempts attempts;

	private @Nullable Exchange exchange;

	private @Nullable Future<?> pause;

	private @Nullable Integer acknowledged;

	private int failedAttempts;

	Call(Core core, Operation operation, CallOptions options, Executor executor) {
		this.core = core;
		this.operation = operation;
		this.options = options;
		this.deadline = new Deadline(options, core.transport()::nanos);
		this.serial = new Serial(executor, this::fault);
		this.attempts = new Attempts(core.nodes(), this.deadline, options);
	}

	/** Notes before the start what is not known of earlier attempts. */
	final void doubt(Attempts.Doubt doubt) {
		this.attempts.doubt(doubt);
	}

	final void start() {
		this.serial.execute(this::attempt);
	}

	@Override
	public final void abandon(UnavailableException reason) {
		this.serial.execute(() -> {
			if (!this.result.isDone()) {
				if (this.pause != null) {
					this.pause.cancel(false);
				}
				boolean wasSent = this.exchange != null && this.exchange.abandon() && effect().isWrite();
				abandoned(this.attempts.abandoned(reason, wasSent));
			}
		});
	}

	/** Has an action take the end of the call, with its value or its failure. */
	final void whenEnded(BiConsumer<? super @Nullable T, ? super @Nullable Throwable> action) {
		CompletableFuture<T> unused = this.result.whenComplete(action);
	}

	final CompletableFuture<T> result() {
		return this.result;
	}

	final Serial serial() {
		return this.serial;
	}

	final Operation operation() {
		return this.operation;
	}

	final Duration duration() {
		return Duration.ofNanos(System.nanoTime() - this.began);
	}

	final @Nullable Integer acknowledged() {
		return this.acknowledged;
	}

	final int failedAttempts() {
		return this.failedAttempts;
	}

	final CallOptions options() {
		return this.options;
	}

	final Deadline deadline() {
		return this.deadline;
	}

	final @Nullable Exchange exchange() {
		return this.exchange;
	}

	final void attempt() {
		if (this.result.isDone()) {
			return;
		}
		try {
			long pause = this.attempts.next();
			if (pause == 0) {
				ask();
			}
			else {
				this.pause = this.core.transport().schedule(() -> this.serial.execute(this::ask), pause);
			}
		}
		catch (QuorateException failure) {
			end(failure);
		}
		catch (RejectedExecutionException closed) {
			abandon(new CallInterruptedException("the client was closed", closed));
		}
	}

	private void ask() {
		if (!this.result.isDone()) {
			Request request = request().within(this.deadline, this.options);
			this.exchange = new Exchange(this.core.transport(), this.serial, this.attempts.node(), request,
					this.deadline, sink());
			this.exchange.start();
		}
	}

	/** Notes a failed attempt, and goes on at the next node. */
	final void attemptFailed(Exception failure) {
		this.failedAttempts++;
		try {
			this.attempts.failed(failure, effect());
		}
		catch (QuorateException last) {
			end(last);
			return;
		}
		beforeNextAttempt();
		attempt();
	}

	/** Prepares the call for its next attempt after a failed one. */
	void beforeNextAttempt() {
	}

	final void attemptSucceeded() {
		this.attempts.succeeded();
	}

	/** Gives the call all attempts again, after it has come further. */
	final void renewAttempts() {
		this.attempts = new Attempts(this.core.nodes(), this.deadline, this.options);
	}

	/** Notes the replicas that a node names. */
	final void acknowledgedBy(@Nullable Integer replicas) {
		this.acknowledged = replicas;
	}

	final void complete(T value) {
		report(null);
		this.result.complete(value);
	}

	final void fail(Throwable failure) {
		report(failure);
		this.result.completeExceptionally(failure);
	}

	/* Before the end, so that the caller who has a result finds it counted. */
	private void report(@Nullable Throwable failure) {
		if (this.result.isDone()) {
			return;
		}
		if (failure instanceof QuorateException error) {
			error.problem()
				.map(Problem::acknowledged)
				.filter(OptionalInt::isPresent)
				.ifPresent((number) -> acknowledgedBy(number.getAsInt()));
		}
		this.core.report(this, failure);
	}

	/** Ends the call, to which no attempt gave an answer. */
	void end(QuorateException failure) {
		fail(failure);
	}

	/** Ends the call, which no one waits for any more. */
	void abandoned(QuorateException failure) {
		fail(failure);
	}

	private void fault(Throwable fault) {
		if (this.exchange != null) {
			this.exchange.abandon();
		}
		fail(fault);
	}

	abstract Request request();

	abstract Effect effect();

	abstract AnswerSink sink();

}
