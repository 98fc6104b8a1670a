package io.quorate.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

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

	@Test
	void callEndsAlsoIfItsExecutorTakesNoMore() {
		QuorateAsyncClient client = opened(builder(node(Scripts.value("red"))).executor((task) -> {
			throw new RejectedExecutionException("no more");
		}).buildAsync());
		assertThat(client.get("k").join()).isPresent();
		QuorateAsyncClient secret = opened(builder(node(Scripts.value("red"))).token(() -> "a").executor((task) -> {
			throw new RejectedExecutionException("no more");
		}).buildAsync());
		assertThat(caught(CompletionException.class, () -> secret.get("k").join()))
			.hasCauseInstanceOf(TokenException.class);
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
	private static final class Records implements Flow.Subscriber<RangeRecord> {

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
		assertThat(records.end.await(10, TimeUnit.SECONDS)).isTrue();
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
	void publisherRefusesARequestForNothing() throws InterruptedException {
		Records records = new Records();
		async(node(new RangeStore("a"))).range(RangeQuery.all()).subscribe(records);
		records.subscription.join().request(0);
		assertThat(records.end.await(10, TimeUnit.SECONDS)).isTrue();
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
		assertThat(records.end.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(records.failure).isInstanceOf(CallInterruptedException.class);
		await(() -> server.openConnections() == 0);
	}

}
