package io.quorate.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The connections and threads of a client: how many there are, and their end. */
class ConnectionTests extends HostileTests {

	@Test
	void connectionIsKept() {
		HostileServer server = node(Scripts.value("red"), Scripts.ABSENT, Scripts.written(),
				Scripts.sends(Scripts.head(304, "ETag: \"1\"")), Scripts.problem(400, "bad-request"),
				Scripts.value("red"), Scripts.value("red"));
		QuorateClient client = client(server);
		client.get("k");
		client.get("k");
		client.put("k", "v");
		client.get(Get.of("k").ifNoneMatch("\"1\""));
		caught(BadRequestException.class, () -> client.get("k"));
		client.head("k");
		client.get("k");
		assertThat(server.connections()).isEqualTo(1);
	}

	@Test
	void connectionThatTheNodeEndsIsNotUsedAgain() {
		HostileServer server = node(Scripts.answer(201, "", "ETag: \"1\"", "Connection: close"));
		QuorateClient client = client(server);
		for (int i = 0; i < 3; i++) {
			client.put("k", "v");
		}
		assertThat(server.connections()).isEqualTo(3);
	}

	@Test
	void failedAttemptLeavesNoConnection() throws InterruptedException {
		HostileServer still = node(Scripts.STAND_STILL);
		HostileServer half = node(Scripts.standStillAfter(Scripts.head(200, "ETag: \"1\"", "Content-Length: 9") + "x"));
		HostileServer large = node(Scripts.value("x".repeat(100_000)));
		QuorateClient client = client((options) -> options.stallTimeout(millis(300)).maxAnswerSize(1_000), still, half,
				large);
		caught(AnswerTooLargeException.class, () -> client.get("k"));
		await(() -> still.openConnections() + half.openConnections() + large.openConnections() == 0);
		assertThat(still.received()).hasSize(1);
	}

	@Test
	void deadlineHasTheWaitForAConnection() {
		HostileServer server = node(Scripts.STAND_STILL);
		QuorateClient client = opened(builder(server).connections(1).build());
		QuorateAsyncClient other = opened(builder(server).connections(1).buildAsync());
		CompletableFuture<Written> first = other.put("k", "v");
		assertThat(timeUntil(DeadlineExceededException.class, () -> joined(other.put(put(), deadline(400)))))
			.isBetween(millis(300), millis(400).plus(SLACK));
		assertThat(first).isNotDone();
		assertThat(client.toString()).isNotEmpty();
	}

	private static <T> T joined(CompletableFuture<T> future) throws Throwable {
		try {
			return future.get();
		}
		catch (ExecutionException failure) {
			throw Objects.requireNonNull(failure.getCause());
		}
	}

	@Test
	void moreCallsThanConnectionsAllEnd() {
		HostileServer server = node(Scripts.late(20, Scripts.written()));
		QuorateAsyncClient client = opened(builder(server).connections(3).buildAsync());
		List<CompletableFuture<Written>> all = Stream.generate(() -> client.put("k", "v")).limit(30).toList();
		assertThat(all).allSatisfy((each) -> assertThat(each.join()).isEqualTo(new Written("\"1\"")));
		assertThat(server.connections()).isLessThanOrEqualTo(3);
	}

	@Test
	void threadThatStandsStillHoldsNoOtherCallBack() {
		CountDownLatch end = new CountDownLatch(1);
		Thread caller = Thread.currentThread();
		// In place of a name server that does not answer, which stops a thread, too. The
		// thread of the caller runs what comes while it is still in the client.
		QuorateAsyncClient client = opened(builder(node(Scripts.value("red"))).executor((task) -> {
			task.run();
			try {
				if (!Thread.currentThread().equals(caller)) {
					end.await();
				}
			}
			catch (InterruptedException interrupt) {
				Thread.currentThread().interrupt();
			}
		}).buildAsync());
		for (int i = 0; i < 10; i++) {
			assertThat(client.get("k").orTimeout(10 * SLOWNESS, TimeUnit.SECONDS).join()).isPresent();
		}
		end.countDown();
	}

	@Test
	void placesAreHandedOverInTheirOrder() {
		Places places = new Places(1, 2);
		List<String> order = new ArrayList<>();
		Runnable second = () -> order.add("second");
		places.enter(() -> order.add("first"), false);
		places.enter(second, false);
		places.enter(() -> order.add("third"), false);
		caught(TooManyCallsException.class, () -> places.enter(() -> order.add("too many"), false));
		places.giveUp(second);
		places.leave();
		places.leave();
		places.enter(() -> order.add("fourth"), false);
		assertThat(order).containsExactly("first", "third", "fourth");
	}

	@Test
	void urgentCallsComeBeforeAllThatWait() {
		Places places = new Places(1, 1);
		List<String> order = new ArrayList<>();
		Runnable givenUp = () -> order.add("given up");
		places.enter(() -> order.add("first"), false);
		places.enter(() -> order.add("last"), false);
		places.enter(() -> order.add("second"), true);
		places.enter(givenUp, true);
		places.enter(() -> order.add("third"), true);
		places.giveUp(givenUp);
		for (int i = 0; i < 3; i++) {
			places.leave();
		}
		assertThat(order).containsExactly("first", "second", "third", "last");
	}

	@Test
	void waitsOfNodesLeaveHalfOfThePlacesFree() {
		assertThat(new Places(1, 1).beginWait()).isFalse();
		Places places = new Places(5, 1);
		assertThat(places.beginWait()).isTrue();
		assertThat(places.beginWait()).isTrue();
		assertThat(places.beginWait()).as("a third wait").isFalse();
		places.endWait();
		places.enter(() -> {
		}, false);
		assertThat(places.beginWait()).isTrue();
		places.endWait();
		places.enter(() -> {
		}, false);
		assertThat(places.beginWait()).as("a wait beside two calls").isFalse();
	}

	@Test
	void cancelledCallsGiveTheirPlacesBack() throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL, Scripts.STAND_STILL, Scripts.written());
		QuorateAsyncClient client = opened(builder(server).connections(2).buildAsync());
		CompletableFuture<Written> first = client.put("k", "v");
		CompletableFuture<Written> second = client.put("k", "v");
		CompletableFuture<Written> waiting = client.put("k", "v");
		await(() -> server.received().size() == 2);
		waiting.cancel(false);
		first.cancel(false);
		second.cancel(false);
		await(() -> server.openConnections() == 0);
		assertThat(client.put("k", "v").join()).isEqualTo(new Written("\"1\""));
		assertThat(server.received()).hasSize(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "put", "get", "range", "waiting put" })
	void interruptEndsACallAtOnce(String name) throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL);
		QuorateClient client = opened(builder(server).connections(1)
			.options((options) -> options.deadline(millis(60_000)).stallTimeout(millis(60_000)))
			.build());
		CountDownLatch end = new CountDownLatch(1);
		AtomicReference<Throwable> error = new AtomicReference<>();
		AtomicReference<Boolean> isInterrupted = new AtomicReference<>();
		if (name.equals("waiting put")) {
			Thread holder = new Thread(() -> caught(QuorateException.class, () -> client.get("k")));
			holder.start();
		}
		else {
			assertThat(server.received()).isEmpty();
		}
		Thread thread = new Thread(() -> {
			try {
				switch (name) {
					case "put", "waiting put" -> client.put("k", "v");
					case "get" -> client.get("k");
					default -> assertThat(client.range(RangeQuery.all()).hasNext()).isTrue();
				}
			}
			catch (QuorateException expected) {
				error.set(expected);
			}
			isInterrupted.set(Thread.currentThread().isInterrupted());
			end.countDown();
		});
		await(() -> !name.equals("waiting put") || server.received().size() == 1);
		thread.start();
		await(() -> server.received().size() == 1 && (thread.getState() == Thread.State.WAITING));
		thread.interrupt();
		assertThat(end.await(SLACK.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		assertThat(isInterrupted.get()).isTrue();
		assertThat(error.get())
			.isInstanceOf(name.equals("put") ? OutcomeUnknownException.class : CallInterruptedException.class);
		if (!name.equals("waiting put")) {
			await(() -> server.openConnections() == 0);
		}
	}

	@Test
	void closeEndsCallsConnectionsAndThreads() throws InterruptedException {
		HostileServer server = node(Scripts.value("red"), Scripts.STAND_STILL);
		QuorateAsyncClient client = builder(server).buildAsync();
		client.get("k").join();
		CompletableFuture<Written> write = client.put("k", "v");
		CompletableFuture<Optional<Entity>> read = client.get("k");
		await(() -> server.received().size() == 3);
		client.close();
		caught(OutcomeUnknownException.class, () -> joined(write));
		caught(CallInterruptedException.class, () -> joined(read));
		await(() -> server.openConnections() == 0);
		caught(IllegalStateException.class, () -> client.get("k"));
		caught(IllegalStateException.class, () -> client.range(RangeQuery.all()));
		caught(IllegalStateException.class, () -> client.batch(List.of(put())));
		client.close();
	}

	@Test
	void closeBeginsNoCallThatWaits() throws InterruptedException {
		HostileServer server = node(Scripts.STAND_STILL);
		QuorateAsyncClient client = builder(server).connections(1).buildAsync();
		CompletableFuture<Written> first = client.put("k", "v");
		List<CompletableFuture<Written>> waiting = Stream.generate(() -> client.put("k", "v")).limit(20).toList();
		await(() -> server.received().size() == 1);
		client.close();
		caught(OutcomeUnknownException.class, () -> joined(first));
		for (CompletableFuture<Written> each : waiting) {
			caught(CallInterruptedException.class, () -> joined(each));
		}
		assertThat(server.received()).hasSize(1);
		assertThat(server.connections()).isEqualTo(1);
	}

	@Test
	void idleConnectionsOfAClosedClientEnd() throws InterruptedException {
		HostileServer server = node(Scripts.value("red"));
		QuorateClient client = builder(server).build();
		client.get("k");
		client.close();
		// Before Java 21 the JDK ends them when the garbage collector has found that the
		// client is gone.
		await(() -> {
			System.gc();
			return server.openConnections() == 0;
		});
	}

	@Test
	void pauseHasNoConnection() throws InterruptedException {
		HostileServer server = node(Scripts.problem(503, "overloaded", "Retry-After: 2"), Scripts.value("red"),
				Scripts.written());
		QuorateAsyncClient client = opened(builder(server).connections(1).buildAsync());
		CompletableFuture<Written> paused = client.put("k", "v");
		await(() -> server.received().size() == 1);
		assertThat(client.get("k").join()).isPresent();
		assertThat(paused).isNotDone();
		assertThat(paused.join()).isEqualTo(new Written("\"1\""));
	}

	@Test
	void callThatIsCancelledInItsPauseAsksNoMore() throws InterruptedException {
		HostileServer server = node(Scripts.problem(503, "overloaded", "Retry-After: 1"), Scripts.written());
		QuorateAsyncClient client = opened(builder(server).buildAsync());
		CompletableFuture<Written> paused = client.put("k", "v");
		await(() -> server.received().size() == 1);
		paused.cancel(false);
		// A time in which the pause of a call that was not cancelled has ended.
		Thread.sleep(1_000 + millis(300).toMillis());
		assertThat(server.received()).hasSize(1);
	}

	@Test
	void threadsShareAClient() throws InterruptedException {
		HostileServer server = node(Scripts.value("red"));
		QuorateClient client = opened(builder(server).connections(4).build());
		List<Thread> threads = new ArrayList<>();
		List<Throwable> faults = Collections.synchronizedList(new ArrayList<>());
		for (int i = 0; i < 8; i++) {
			Thread thread = new Thread(() -> {
				try {
					for (int j = 0; j < 25; j++) {
						assertThat(client.get("k").orElseThrow().text()).isEqualTo("red");
					}
				}
				catch (RuntimeException | Error fault) {
					faults.add(fault);
				}
			});
			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(faults).isEmpty();
		assertThat(server.received()).hasSize(200);
		assertThat(server.connections()).isLessThanOrEqualTo(4);
	}

}
