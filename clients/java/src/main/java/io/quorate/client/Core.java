package io.quorate.client;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** The calls of a client. All clients have the same ones, and differ in how they wait. */
final class Core {

	private final Nodes nodes;

	private final Transport transport;

	private final CallOptions options;

	private final Recipes recipes;

	private final List<CallObserver> observers;

	private final Set<UnderWay> underWay;

	private final AtomicBoolean isClosed;

	Core(Nodes nodes, Transport transport, CallOptions options, List<CallObserver> observers) {
		this.nodes = nodes;
		this.transport = transport;
		this.options = options;
		this.recipes = new Recipes(this);
		this.observers = List.copyOf(observers);
		this.underWay = ConcurrentHashMap.newKeySet();
		this.isClosed = new AtomicBoolean();
	}

	private Core(Nodes nodes, Core shared, CallOptions options) {
		this.nodes = nodes;
		this.transport = shared.transport;
		this.options = options;
		this.recipes = new Recipes(this);
		this.observers = shared.observers;
		this.underWay = shared.underWay;
		this.isClosed = shared.isClosed;
	}

	/** Returns the calls to other nodes, which end with those of this client. */
	Core at(String... endpoints) {
		Core others = atUnwarned(endpoints);
		this.transport.checkExposure(others.nodes);
		return others;
	}

	/** The same, without a look at the way of the token. */
	Core atUnwarned(String... endpoints) {
		return new Core(new Nodes(Nodes.checked(Stream.of(endpoints)), false), this, this.options);
	}

	/* Loggers take their time to start, and most clients have nothing to say. */
	static System.Logger log() {
		return System.getLogger("io.quorate.client");
	}

	/** Returns the calls with other options, which end with those of this client. */
	Core with(UnaryOperator<CallOptions> changes) {
		return new Core(this.nodes, this, changes.apply(this.options));
	}

	CallOptions options() {
		return this.options;
	}

	Recipes recipes() {
		return this.recipes;
	}

	Nodes nodes() {
		return this.nodes;
	}

	Transport transport() {
		return this.transport;
	}

	Call<Written> put(Put put, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		return begin(Operation.PUT, changed, Requests.put(put, changed), Answers::put);
	}

	Call<Written> delete(Delete delete, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		return begin(Operation.DELETE, changed, Requests.delete(delete, changed), Answers::deleted);
	}

	Call<Optional<Touched>> touch(Touch touch, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		return begin(Operation.TOUCH, changed, Requests.touch(touch, changed),
				(answer) -> Answers.touched(touch.key(), answer));
	}

	Call<Optional<Entity>> get(String key, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		return begin(Operation.GET, changed, Requests.get(Get.of(key), changed),
				(answer) -> Answers.entity(key, answer));
	}

	Call<ReadResult> get(Get get, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		return begin(Operation.GET, changed, Requests.get(get, changed), (answer) -> Answers.read(get, answer));
	}

	Call<Optional<Entity>> getPart(String key, ByteRange part, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		return begin(Operation.GET, changed, Requests.part(key, part, changed),
				(answer) -> Answers.part(key, part, answer));
	}

	Call<Optional<Metadata>> head(String key, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		return begin(Operation.HEAD, changed, Requests.head(key, changed), (answer) -> Answers.metadata(key, answer));
	}

	Call<NodeStatus> status(UnaryOperator<CallOptions> changes) {
		return begin(Operation.STATUS, changes.apply(this.options), Requests.status(), Answers::status);
	}

	Call<Page<RangeRecord>> page(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return page(query, RecordFormat.VALUES, changes);
	}

	Call<Page<KeyRecord>> keyPage(RangeQuery query, UnaryOperator<CallOptions> changes) {
		return page(query, RecordFormat.KEYS, changes);
	}

	private <R> Call<Page<R>> page(RangeQuery query, RecordFormat<R> format, UnaryOperator<CallOptions> changes) {
		CallOptions changed = changes.apply(this.options);
		if (query.limit() == 0) {
			throw new IllegalArgumentException("a page has at least 1 record");
		}
		long size = (query.limit() < 0) ? query.pageSize() : Math.min(query.limit(), query.pageSize());
		return begin(Operation.PAGE, changed, Requests.range(query, null, size, format.hasValues(), changed),
				(answer) -> RangePart.page(answer, format, query.isReverse()));
	}

	Call<List<ItemResult>> batch(List<? extends Item> items, UnaryOperator<CallOptions> changes) {
		BatchCall call = new BatchCall(this, changes.apply(this.options), items);
		track(call);
		if (items.isEmpty()) {
			call.complete(List.of());
		}
		return call;
	}

	Flow.Publisher<RangeRecord> range(RangeQuery query, UnaryOperator<CallOptions> changes, Executor executor) {
		return range(query, RecordFormat.VALUES, changes.apply(this.options), executor);
	}

	Flow.Publisher<KeyRecord> keys(RangeQuery query, UnaryOperator<CallOptions> changes, Executor executor) {
		return range(query, RecordFormat.KEYS, changes.apply(this.options), executor);
	}

	Flow.Publisher<RangeLine> lines(RangeQuery query, boolean hasValues, UnaryOperator<CallOptions> changes,
			Executor executor) {
		return range(query, hasValues ? RecordFormat.LINES : RecordFormat.KEY_LINES, changes.apply(this.options),
				executor);
	}

	Flow.Publisher<WatchEvent> watch(WatchOptions watch, UnaryOperator<CallOptions> changes, Executor executor) {
		CallOptions changed = changes.apply(this.options);
		checkOpen();
		return (subscriber) -> {
			WatchCall call = new WatchCall(this, changed, watch, subscriber, executor);
			this.underWay.add(call);
			call.begin();
			if (this.isClosed.get()) {
				call.abandon(closed());
			}
		};
	}

	/** Returns the number of calls and watches that have not ended. */
	int underWay() {
		return this.underWay.size();
	}

	/** Has something ended when the client is closed. */
	void add(UnderWay other) {
		checkOpen();
		this.underWay.add(other);
		if (this.isClosed.get()) {
			other.abandon(closed());
		}
	}

	/** Forgets what has ended. */
	void remove(UnderWay other) {
		this.underWay.remove(other);
	}

	/** Begins a request of an operator, whose answer is a success as the caller says. */
	Call<Answer> ask(Request request, Predicate<Answer> isSuccess, UnaryOperator<CallOptions> changes) {
		return begin(Operation.OPERATOR, changes.apply(this.options), request, (answer) -> {
			if (!isSuccess.test(answer)) {
				throw Problems.quoted(answer);
			}
			return answer;
		});
	}

	private <R> Flow.Publisher<R> range(RangeQuery query, RecordFormat<R> format, CallOptions changed,
			Executor executor) {
		checkOpen();
		return (subscriber) -> {
			RangeCall<R> call = new RangeCall<>(this, changed, query, format, subscriber, executor);
			call.begin();
			this.underWay.add(call);
			call.whenEnded((done, failure) -> this.underWay.remove(call));
			if (this.isClosed.get()) {
				call.abandon(closed());
			}
		};
	}

	<T> Call<T> begin(Operation operation, CallOptions changed, Request request, Function<Answer, T> meaning) {
		SingleCall<T> call = new SingleCall<>(this, operation, changed, request, meaning);
		track(call);
		return call;
	}

	private void track(Call<?> call) {
		checkOpen();
		this.underWay.add(call);
		call.whenEnded((done, failure) -> this.underWay.remove(call));
		if (this.isClosed.get()) {
			call.abandon(closed());
		}
	}

	private void checkOpen() {
		if (this.isClosed.get()) {
			throw new IllegalStateException("the client is closed");
		}
	}

	private static CallInterruptedException closed() {
		return new CallInterruptedException("the client was closed", null);
	}

	/** Hands the report of a call that ends to all observers. */
	void report(Call<?> call, @Nullable Throwable failure) {
		if (this.observers.isEmpty()) {
			return;
		}
		CallReport report = new CallReport(call, failure);
		for (CallObserver observer : this.observers) {
			try {
				observer.ended(report);
			}
			catch (RuntimeException | Error fault) {
				log().log(Level.WARNING, "an observer has failed with " + report, fault);
			}
		}
	}

	/**
	 * Waits for a call. An interrupt ends it at once.
	 * @throws QuorateException if the call fails
	 */
	static <T> T await(Call<T> call) {
		call.start();
		boolean isInterrupted = false;
		try {
			while (true) {
				try {
					return call.result().get();
				}
				catch (InterruptedException interrupt) {
					isInterrupted = true;
					call.abandon(new CallInterruptedException("the thread was interrupted", interrupt));
				}
			}
		}
		catch (ExecutionException failure) {
			throw thrown((failure.getCause() != null) ? failure.getCause() : failure);
		}
		finally {
			if (isInterrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Returns a failure with the trace of the caller, in place of that of the thread
	 * which has noted it.
	 */
	static RuntimeException thrown(Throwable failure) {
		if (failure instanceof RuntimeException error) {
			error.fillInStackTrace();
			return error;
		}
		return new IllegalStateException("a fault of the client", failure);
	}

	/**
	 * Starts a call, and returns its future result, which completes on the threads of the
	 * caller's executor. The call ends when the future does.
	 */
	<T> CompletableFuture<T> future(Call<T> call) {
		CompletableFuture<T> future = new CompletableFuture<>();
		call.whenEnded((value, failure) -> hand(() -> {
			if (failure != null) {
				future.completeExceptionally(failure);
			}
			else {
				future.complete(value);
			}
		}));
		CompletableFuture<T> unused = future.whenComplete((value, failure) -> {
			if (!call.result().isDone()) {
				call.abandon(new CallInterruptedException("the call was cancelled", null));
			}
		});
		call.start();
		return future;
	}

	void hand(Runnable action) {
		try {
			this.transport.callbacks().execute(action);
		}
		catch (RuntimeException | Error failure) {
			// A call has to end, even if its executor takes no more, or can start no
			// thread.
			action.run();
		}
	}

	void close() {
		this.isClosed.set(true);
		// The calls that wait must not begin with the places of those that end.
		this.transport.places().close();
		this.underWay.forEach((call) -> call.abandon(closed()));
		this.transport.close();
	}

	@Override
	public String toString() {
		return String.join(", ", this.nodes.urls());
	}

}
