package io.quorate.client;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;

import org.jspecify.annotations.Nullable;

/**
 * A range that hands its records over one by one, as its subscriber asks for them. It
 * reads page after page. When an answer breaks off, it asks the next node for the rest
 * behind the last record; so each record comes once, none is missing, and each answer
 * that has a new one is progress.
 *
 * @param <R> the kind of record
 */
final class RangeCall<R> extends Call<Boolean> implements Flow.Subscription, AnswerSink {

	private RangeQuery query;

	private final RecordFormat<R> format;

	private final Flow.Subscriber<? super R> subscriber;

	private volatile boolean isCancelled;

	private long demand;

	private boolean isAsking;

	private boolean hasBegun;

	private @Nullable String cursor;

	private long records;

	private @Nullable String lastKey;

	private long recordsBeforePage;

	private @Nullable String lastKeyBeforePage;

	private long recordsBeforeAttempt;

	private @Nullable RangePart<R> part;

	private Lines lines = new Lines("", 0);

	private @Nullable R ahead;

	private boolean hasAnswerEnded;

	private @Nullable Exception failure;

	private @Nullable WholeBody refusal;

	RangeCall(Core core, CallOptions options, RangeQuery query, RecordFormat<R> format,
			Flow.Subscriber<? super R> subscriber, Executor executor) {
		super(core, Operation.RANGE, options, executor);
		this.query = query;
		this.format = format;
		this.subscriber = subscriber;
	}

	/** Hands this subscription over. */
	void begin() {
		whenEnded((done, error) -> {
			if (this.isCancelled) {
				return;
			}
			if (error != null) {
				this.subscriber.onError(error);
			}
			else {
				this.subscriber.onComplete();
			}
		});
		serial().execute(() -> this.subscriber.onSubscribe(this));
	}

	@Override
	public void request(long count) {
		serial().execute(() -> {
			if (result().isDone()) {
				return;
			}
			if (count <= 0) {
				abandonExchange();
				fail(new IllegalArgumentException("a subscriber asks for at least 1 record, not " + count));
				return;
			}
			if (this.demand == 0) {
				// The caller waits only from now on.
				deadline().restart();
			}
			this.demand = (this.demand + count < 0) ? Long.MAX_VALUE : this.demand + count;
			pump();
		});
	}

	@Override
	public void cancel() {
		this.isCancelled = true;
		serial().execute(() -> {
			abandonExchange();
			complete(false);
		});
	}

	private void abandonExchange() {
		Exchange exchange = exchange();
		if (exchange != null) {
			exchange.abandon();
		}
	}

	@Override
	Request request() {
		this.isAsking = true;
		this.recordsBeforeAttempt = this.records;
		this.part = null;
		this.hasAnswerEnded = false;
		this.failure = null;
		long size = this.query.pageSize();
		if (this.query.limit() >= 0) {
			size = Math.min(size, this.query.limit() - this.recordsBeforePage);
		}
		return Requests.range(this.query, this.cursor, size, this.format.hasValues(), options());
	}

	@Override
	Effect effect() {
		return Effect.NONE;
	}

	@Override
	AnswerSink sink() {
		return this;
	}

	@Override
	public void head(Answer answer) {
		this.lines = new Lines(answer.node(), options().maxAnswerSize());
		if (answer.status() == Answers.OK) {
			this.hasBegun = true;
			this.part = new RangePart<>(answer, this.format, this.query.isReverse());
		}
		else {
			this.refusal = new WholeBody(options().maxAnswerSize(), this::refused, (error, partial) -> lost(error));
			this.refusal.head(answer);
		}
	}

	private void refused(Answer answer) {
		lost(refusalOf(answer));
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
		if (this.part == null) {
			return this.refusal != null && this.refusal.bytes(bytes);
		}
		this.lines.feed(bytes);
		serial().execute(this::pump);
		return false;
	}

	@Override
	public void end() {
		if (this.part == null) {
			if (this.refusal != null) {
				this.refusal.end();
			}
			return;
		}
		this.hasAnswerEnded = true;
		pump();
	}

	@Override
	public void failed(Exception error) {
		lost(error);
	}

	/* The records before the end are handed over first. */
	private void lost(Exception error) {
		this.failure = error;
		pump();
	}

	private void pump() {
		try {
			while (!this.isCancelled && !result().isDone()) {
				if (!this.isAsking) {
					if (isFull()) {
						complete(true);
						return;
					}
					if (this.demand == 0) {
						return;
					}
					this.isAsking = true;
					attempt();
					return;
				}
				if (this.ahead == null && !readAhead()) {
					return;
				}
				if (this.ahead != null) {
					if (this.demand == 0) {
						return;
					}
					emit(this.ahead);
				}
			}
		}
		catch (QuorateException error) {
			abandonExchange();
			// Nothing else of this answer is believed, also not while the call pauses.
			this.part = null;
			this.ahead = null;
			this.failure = null;
			attemptFailed(error);
		}
	}

	/**
	 * Reads the next line, if it has come, or the end of the answer.
	 * @return {@code false} if there is nothing to do for now
	 */
	private boolean readAhead() {
		RangePart<R> present = this.part;
		byte[] line = (present != null) ? this.lines.poll() : null;
		if (present != null && line != null) {
			R item = present.read(line);
			this.ahead = (item != null && isNew(present, this.format.key(item))) ? item : null;
			return true;
		}
		if (this.failure != null) {
			Exception error = this.failure;
			this.failure = null;
			this.part = null;
			attemptFailed(error);
			return false;
		}
		if (present != null && this.hasAnswerEnded) {
			present.end(this.lines.hasRest());
			endPage(present);
			return true;
		}
		Exchange exchange = exchange();
		if (present != null && this.demand > 0 && exchange != null) {
			exchange.more();
		}
		return false;
	}

	/* A page that is read again has records that were handed over. */
	private boolean isNew(RangePart<R> present, String key) {
		if (this.lastKeyBeforePage != null && !present.isBehind(key, this.lastKeyBeforePage)) {
			throw present.disorder();
		}
		return !isFull() && (this.lastKey == null || present.isBehind(key, this.lastKey));
	}

	private boolean isFull() {
		return this.query.limit() >= 0 && this.records >= this.query.limit();
	}

	private void emit(R item) {
		this.ahead = null;
		this.demand--;
		this.records++;
		this.lastKey = this.format.key(item);
		try {
			this.subscriber.onNext(item);
		}
		catch (QuorateException fault) {
			// It is the subscriber's, perhaps of another call, and says nothing of the
			// node.
			abandonExchange();
			fail(fault);
			return;
		}
		deadline().restart();
	}

	private void endPage(RangePart<R> present) {
		this.cursor = present.cursor();
		this.part = null;
		this.isAsking = false;
		beginPage();
		attemptSucceeded();
		renewAttempts();
		if (this.cursor == null || isFull()) {
			complete(true);
		}
	}

	private void beginPage() {
		this.lastKeyBeforePage = this.lastKey;
		this.recordsBeforePage = this.records;
	}

	@Override
	void beforeNextAttempt() {
		if (this.lastKey == null || this.records == this.recordsBeforeAttempt) {
			return;
		}
		if (isFull()) {
			complete(true);
			return;
		}
		RangeQuery rest = this.query.behind(this.lastKey);
		// What is behind a key is not known of a range that began with a cursor: its page
		// is read again.
		if (rest != null) {
			this.query = rest;
			this.cursor = null;
			beginPage();
		}
		// A caller who counts the requests counts those of a page that comes in pieces,
		// too.
		if (options().attempts() == null) {
			renewAttempts();
		}
	}

	@Override
	void end(QuorateException error) {
		// What is no range, or has too large a record, is so at the next call, too.
		boolean isOfContent = error instanceof AnswerTooLargeException
				|| (error instanceof InvalidAnswerException invalid && invalid.status() == Answers.OK);
		if (!this.hasBegun || isOfContent) {
			fail(error);
			return;
		}
		IncompleteRangeException incomplete = new IncompleteRangeException(
				"the range broke off after " + this.records + " records: " + Answers.message(error), this.records,
				this.lastKey, error);
		incomplete.haveFailures(error.failures());
		fail(incomplete);
	}

}
