package io.quorate.client;

import java.net.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** The asynchronous client: futures, their threads and their end, and publishers. */
class AsyncTests extends HostileTests {

	private QuorateAsyncClient async(Object... nodes) {
		return opened(builder(nodes).buildAsync());
	}

	@Test
	void futuresHaveResultsAndErrors() {
		QuorateAsyncClient client = async(node(Scripts.written(), Scripts.value("red"), Scripts.deleted(),
				Scripts.ABSENT, Scripts.problem(403, "forbidden")));
		assertThat(client.put("k", "v").join()).isEqualTo(new Written("\"1\""));
		assertThat(client.get("k").join().orElseThrow().text()).isEqualTo("red");
		assertThat(client.delete("k").join()).isEqualTo(new Written("\"1\""));
		assertThat(client.get(Get.of("k")).join()).isEqualTo(new NoValue("k"));
		assertThat(caught(CompletionException.class, () -> client.get("k").join()))
			.hasCauseInstanceOf(ForbiddenException.class);
	}

	@Test
	void futuresCompleteOnTheThreadsOfTheCaller() {
		QuorateAsyncClient client = opened(
				builder(node(Scripts.value("red"))).executor((task) -> new Thread(task, "mine").start()).buildAsync());
		CompletableFuture<String> name = new CompletableFuture<>();
		CompletableFuture<Void> unused = client.get("k").thenRun(() -> name.complete(Thread.currentThread().getName()));
		assertThat(name.join()).isIn("mine", Thread.currentThread().getName());
	}

	static Stream<Executor> refusing() {
		return Stream.of((task) -> {
			throw new RejectedExecutionException("no more");
		}, (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		}, (task) -> {
			throw new IllegalStateException("a fault of the executor");
		});
	}

	@ParameterizedTest
	@MethodSource("refusing")
	void callEndsAlsoIfItsExecutorTakesNoMore(Executor refusing) throws InterruptedException {
		QuorateAsyncClient client = opened(
				builder(node(Scripts.value("red"), new RangeStore("a", "b"))).executor(refusing).buildAsync());
		assertThat(client.get("k").orTimeout(10 * SLOWNESS, TimeUnit.SECONDS).join()).isPresent();
		Records records = new Records();
		client.range(RangeQuery.all()).subscribe(records);
		records.subscription.join().request(1);
		records.subscription.join().request(5);
		records.awaitEnd();
		assertThat(records.keys).containsExactly("a", "b");
		CompletableFuture<@Nullable String> token = Token.of(() -> "a").present(refusing);
		assertThat(caught(CompletionException.class, token::join)).hasCauseInstanceOf(TokenException.class);
	}

	@Test
	void taskThatItsPoolHasThoughItThrewRunsOnce() {
		List<Runnable> kept = new ArrayList<>();
		AtomicInteger events = new AtomicInteger();
		Serial serial = new Serial((task) -> {
			kept.add(task);
			throw new OutOfMemoryError("unable to create native thread");
		}, (fault) -> events.set(-1));
		assertTimeoutPreemptively(millis(10_000), () -> {
			serial.execute(events::incrementAndGet);
			kept.forEach(Runnable::run);
			serial.execute(events::incrementAndGet);
		});
		assertThat(events.get()).isEqualTo(2);
	}

	@Test
	void cancelledFutureEndsItsExchange() throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL);
		CompletableFuture<Written> future = async(server).put("k", "v");
		await(() -> server.received().size() == 1);
		future.cancel(true);
		await(() -> server.openConnections() == 0);
	}

	@Test
	void timeoutOfAFutureEndsItsExchange() throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL);
		CompletableFuture<Written> future = async(server).put("k", "v").orTimeout(100, TimeUnit.MILLISECONDS);
		assertThat(caught(CompletionException.class, future::join)).hasCauseInstanceOf(TimeoutException.class);
		await(() -> server.connections() == 1 && server.openConnections() == 0);
	}

	/** A subscriber that asks for records as the test says. */
	private static class Records implements Flow.Subscriber<RangeRecord> {

		private final List<String> keys = new ArrayList<>();

		private final CountDownLatch end = new CountDownLatch(1);

		private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

		private @Nullable Throwable failure;

		@Override
		public void onSubscribe(Flow.Subscription range) {
			this.subscription.complete(range);
		}

		@Override
		public synchronized void onNext(RangeRecord item) {
			this.keys.add(item.key());
		}

		@Override
		public void onError(Throwable error) {
			this.failure = error;
			this.end.countDown();
		}

		@Override
		public void onComplete() {
			this.end.countDown();
		}

		synchronized int count() {
			return this.keys.size();
		}

		void awaitEnd() throws InterruptedException {
			assertThat(this.end.await(10 * SLOWNESS, TimeUnit.SECONDS)).isTrue();
		}

	}

	@Test
	void publisherHandsOverNoMoreThanAskedFor() throws InterruptedException {
		HostileServer server = node(new RangeStore("a", "b", "c", "d", "e"));
		Records records = new Records();
		async(server).range(RangeQuery.all().pageSize(2)).subscribe(records);
		Flow.Subscription subscription = records.subscription.join();
		assertThat(server.received()).isEmpty();
		subscription.request(2);
		await(() -> records.count() == 2);
		assertThat(server.received()).hasSize(1);
		subscription.request(1);
		await(() -> records.count() == 3);
		assertThat(records.end.getCount()).isEqualTo(1);
		subscription.request(Long.MAX_VALUE);
		subscription.request(Long.MAX_VALUE);
		records.awaitEnd();
		assertThat(records.failure).isNull();
		assertThat(records.keys).containsExactly("a", "b", "c", "d", "e");
	}

	@Test
	void publisherAsksForNoMoreThanTheSubscriberWants() throws InterruptedException {
		String large = "x".repeat(20_000);
		AtomicInteger sent = new AtomicInteger();
		HostileServer server = node((connection, request) -> {
			connection.send(Scripts.bytes(Scripts.begunLines()));
			while (sent.get() < 4_000) {
				String line = RangeStore.record("k%05d".formatted(sent.get()), large);
				connection.send(Scripts.bytes(Scripts.chunks(line + "\n")));
				sent.incrementAndGet();
			}
			connection.standStill();
		});
		Records records = new Records();
		async(server).range(RangeQuery.all()).subscribe(records);
		records.subscription.join().request(1);
		await(() -> records.count() == 1);
		// 80 MB do not fit into the buffers of a connection: the server stands in its
		// sending.
		int before = -1;
		while (before < sent.get()) {
			before = sent.get();
			Thread.sleep(millis(500).toMillis());
		}
		assertThat(sent.get()).isLessThan(4_000);
		assertThat(records.count()).isEqualTo(1);
		records.subscription.join().cancel();
		await(() -> server.openConnections() == 0);
		assertThat(records.end.getCount()).isEqualTo(1);
	}

	@Test
	void errorOfASubscriberIsNotOneOfTheNode() throws InterruptedException {
		HostileServer server = node(
				Scripts.standStillAfter(Scripts.begunLines(RangeStore.record("a"), RangeStore.record("b"))));
		QuorateException fault = new InvalidAnswerException("http://other", 503, "of another call", null);
		Records records = new Records() {

			@Override
			public synchronized void onNext(RangeRecord item) {
				throw fault;
			}

		};
		async(server).range(RangeQuery.all()).subscribe(records);
		records.subscription.join().request(1);
		records.awaitEnd();
		assertThat(records.failure).isSameAs(fault);
		assertThat(server.received()).hasSize(1);
		await(() -> server.openConnections() == 0);
	}

	@Test
	void answerThatIsALieAndBreaksOffFailsOnce() throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL, new RangeStore("a", "b"));
		Core core = new Core(new Nodes(List.of(server.url()), false),
				new Transport(null, 1, Token.none(), Runnable::run, millis(5_000)), CallOptions.DEFAULTS, List.of());
		opened(core::close);
		Records records = new Records();
		RangeCall<RangeRecord> call = new RangeCall<>(core, CallOptions.DEFAULTS, RangeQuery.all(), RecordFormat.VALUES,
				records, Runnable::run);
		call.begin();
		records.subscription.join().request(5);
		await(() -> server.received().size() == 1);
		// The bytes and the end of the connection come before the lines are read.
		call.serial().execute(() -> {
			call.head(new Answer(server.url(), 200, HttpHeaders.of(Map.of(), (name, value) -> true), new byte[0]));
			call.bytes(ByteBuffer.wrap(Scripts.bytes("{}\n")));
			call.failed(TransportException.sent("the connection broke", null));
		});
		records.awaitEnd();
		assertThat(records.failure).isNull();
		assertThat(records.keys).containsExactly("a", "b");
		assertThat(server.received()).hasSize(2);
	}

	@Test
	void publisherRefusesARequestForNothing() throws InterruptedException {
		Records records = new Records();
		async(node(new RangeStore("a"))).range(RangeQuery.all()).subscribe(records);
		records.subscription.join().request(0);
		records.awaitEnd();
		assertThat(records.failure).isInstanceOf(IllegalArgumentException.class);
	}

	@Test
	void closeEndsPublishers() throws InterruptedException {
		HostileServer server = node(Scripts.standStillAfter(Scripts.begunLines(RangeStore.record("a"))));
		Records records = new Records();
		QuorateAsyncClient client = async(server);
		client.range(RangeQuery.all()).subscribe(records);
		records.subscription.join().request(5);
		await(() -> records.count() == 1);
		client.close();
		records.awaitEnd();
		assertThat(records.failure).isInstanceOf(CallInterruptedException.class);
		await(() -> server.openConnections() == 0);
	}

}
