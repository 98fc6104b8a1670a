package io.quorate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import io.quorate.client.ConditionalStore.Fault;
import io.quorate.client.reactor.QuorateReactiveClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks on a node that loses requests, by a clock that the test moves. */
class LockTests extends HostileTests {

	private static final String LOCK = "lock:report";

	private static final Duration TTL = Duration.ofSeconds(30);

	private final HandTimer timer = new HandTimer();

	private final ConditionalStore store = new ConditionalStore(this.timer::nanos);

	private final HostileServer server = node(this.store);

	private Core core() {
		return core(this.server, 8);
	}

	private Core core(HostileServer node, int connections) {
		Transport transport = new Transport(null, connections, Token.none(), Runnable::run, millis(5_000),
				Transport.threads("quorate-client-by-hand"), (threads) -> this.timer);
		return new Core(new Nodes(List.of(node.url()), false), transport, CallOptions.DEFAULTS, List.of());
	}

	private QuorateClient client() {
		return opened(new QuorateClient(core()));
	}

	private long touches() {
		return this.store.asked().stream().filter((each) -> each.startsWith("PATCH")).count();
	}

	/* The answer to a touch has come when the next one is scheduled. */
	private void advance(long seconds, long next) throws InterruptedException {
		advance(Duration.ofSeconds(seconds), Duration.ofSeconds(next));
	}

	private void advance(Duration time, Duration next) throws InterruptedException {
		long before = pauses(next::equals);
		this.timer.advance(time);
		await(() -> pauses(next::equals) > before);
	}

	private long pauses(Predicate<Duration> some) {
		return this.timer.asked().stream().filter(some).count();
	}

	/* A node that answers none who waits for the end of a lock. */
	private HostileServer patient() {
		return node((connection, request) -> {
			if (request.method().equals("HEAD")) {
				connection.standStill();
				return;
			}
			this.store.answer(connection, request);
		});
	}

	/* Those who wait, at the node or in the client. */
	private long waiters(HostileServer node) {
		return node.received().stream().filter((each) -> each.method().equals("HEAD")).count()
				+ pauses((each) -> each.toMillis() >= 200 && each.toMillis() <= 1_000);
	}

	@Test
	void lockIsReleasedBehindItsBlock() {
		QuorateClient client = client();
		try (HeldLock lock = client.lock(LOCK, TTL)) {
			assertThat(lock.key()).isEqualTo(LOCK);
			assertThat("\"" + lock.token() + "\"").isEqualTo(this.store.etag(LOCK));
			assertThat(lock).hasToString("HeldLock[" + LOCK + ", " + lock.token() + "]");
			assertThat(this.store.expires(LOCK)).isTrue();
			lock.check();
			assertThat(caught(LockedException.class, () -> client.lock(LOCK, TTL, Duration.ZERO)))
				.hasMessageContaining(LOCK);
			lock.release();
			caught(LockLostException.class, lock::check);
		}
		assertThat(this.store.keys()).isEmpty();
		caught(IllegalArgumentException.class, () -> client.lock(LOCK, Duration.ofSeconds(4)));
	}

	@Test
	void holderKnowsOfItsLossBeforeItsTimeIsOver() throws InterruptedException {
		this.store.lose((method, key) -> method.equals("PATCH") ? Fault.REQUEST : Fault.NONE);
		HeldLock lock = client().with((options) -> options.attempts(1)).lock(LOCK, TTL);
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lock.onLost(() -> lost.complete(null));
		advance(10, 3);
		for (int second = 13; second < 25; second += 3) {
			advance(3, 3);
		}
		this.timer.advance(Duration.ofSeconds(3));
		await(() -> touches() == 6);
		assertThat(lock.isHeld()).isTrue();
		assertThat(lost).isNotDone();
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(lock.isHeld()).isFalse();
		await(() -> {
			this.timer.advance(Duration.ZERO);
			return lost.isDone();
		});
		assertThat(touches()).isEqualTo(6);
		assertThat(this.store.keys()).containsExactly(LOCK);
	}

	@Test
	void holderBelievesForNineTenthsLessASecond() {
		QuorateClient client = client();
		// Without a renewal, since the client knows nothing of its thread any more.
		Hold hold = new Hold(core().recipes(), LOCK, TTL, () -> false);
		Steps.await(hold.core(), (steps) -> hold.acquire(steps, Duration.ZERO));
		this.timer.advance(Duration.ofMillis(25_999));
		assertThat(hold.isHeld()).isTrue();
		this.timer.advance(Duration.ofMillis(1));
		assertThat(hold.isHeld()).isFalse();
		caught(LockedException.class, () -> client.lock(LOCK, TTL, Duration.ZERO));
		hold.core().close();
	}

	@Test
	void lockIsRenewedEachThirdOfItsTime() throws InterruptedException {
		HeldLock lock = client().lock(LOCK, TTL);
		for (int i = 0; i < 20; i++) {
			advance(10, 10);
			assertThat(lock.isHeld()).isTrue();
		}
		assertThat(touches()).isEqualTo(20);
		assertThat(this.store.asked()).filteredOn((each) -> each.startsWith("PATCH"))
			.containsOnly("PATCH lock:report?ttl=30");
		lock.release();
		this.timer.advance(Duration.ofSeconds(30));
		assertThat(touches()).isEqualTo(20);
	}

	@Test
	void holderKnowsAtOnceThatItsLockIsThatOfAnotherOne() throws InterruptedException {
		HeldLock lock = client().lock(LOCK, TTL);
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lock.onLost(() -> lost.complete(null));
		this.store.put(LOCK, "other");
		this.timer.advance(Duration.ofSeconds(10));
		await(lost::isDone);
		assertThat(lock.isHeld()).isFalse();
		CompletableFuture<Void> again = new CompletableFuture<>();
		lock.onLost(() -> again.complete(null));
		assertThat(again).isDone();
		caught(LockLostException.class, lock::check);
		caught(LockLostException.class, () -> lock.renew(TTL));
		caught(LockLostException.class, lock::close);
		assertThat(this.store.text(LOCK)).isEqualTo("other");
	}

	@Test
	void errorOfTheBlockIsMoreThanThatOfTheRelease() {
		ArithmeticException error = caught(ArithmeticException.class, () -> {
			try (HeldLock lock = client().lock(LOCK, TTL)) {
				this.store.put(LOCK, lock.token());
				throw new ArithmeticException("mine");
			}
		});
		assertThat(error.getSuppressed()).hasOnlyElementsOfType(LockLostException.class).hasSize(1);
	}

	@Test
	void renewalMayBeForAnotherTime() {
		HeldLock lock = client().lock(LOCK, TTL);
		lock.renew(Duration.ofMinutes(5));
		assertThat(this.store.asked()).contains("PATCH lock:report?ttl=300");
		lock.renewAsync(Duration.ofSeconds(60)).join();
		assertThat(this.store.asked()).contains("PATCH lock:report?ttl=60");
		caught(IllegalArgumentException.class, () -> lock.renew(Duration.ofSeconds(1)));
		this.store.drop(LOCK);
		caught(LockLostException.class, () -> lock.renew(TTL));
	}

	@Test
	void lateRenewalIsBelievedForItsOwnTime() throws InterruptedException {
		CountDownLatch isLate = new CountDownLatch(1);
		HostileServer slow = node((connection, request) -> {
			if (request.target().endsWith("?ttl=300")) {
				connection.cut();
				return;
			}
			if (request.method().equals("PATCH")) {
				isLate.await();
			}
			this.store.answer(connection, request);
		});
		HeldLock lock = opened(new QuorateClient(core(slow, 8))).with((options) -> options.attempts(1)).lock(LOCK, TTL);
		this.timer.advance(Duration.ofSeconds(10));
		await(() -> slow.received().size() == 2);
		caught(UnavailableException.class, () -> lock.renew(Duration.ofMinutes(5)));
		int before = this.timer.asked().size();
		isLate.countDown();
		await(() -> this.timer.asked().size() > before);
		// The node has kept it for 30 seconds from then on.
		lock.hold().end();
		this.timer.advance(Duration.ofMillis(25_999));
		assertThat(lock.isHeld()).isTrue();
		this.timer.advance(Duration.ofMillis(1));
		assertThat(lock.isHeld()).isFalse();
		assertThat(pauses(Duration.ofSeconds(10)::equals)).as("renewals after a third of the time").isEqualTo(2);
	}

	@Test
	void lockEndsWithTheThreadThatHasAcquiredIt() throws InterruptedException {
		QuorateClient client = client();
		AtomicReference<HeldLock> acquired = new AtomicReference<>();
		Thread thread = new Thread(() -> acquired.set(client.lock(LOCK, TTL)));
		thread.start();
		thread.join();
		CompletableFuture<Void> lost = new CompletableFuture<>();
		acquired.get().onLost(() -> lost.complete(null));
		this.timer.advance(Duration.ofSeconds(10));
		await(lost::isDone);
		assertThat(touches()).isZero();
	}

	@Test
	void closedClientHoldsNoLock() throws InterruptedException {
		QuorateClient client = client();
		HeldLock lock = client.lock(LOCK, TTL);
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lock.onLost(() -> lost.complete(null));
		client.close();
		await(lost::isDone);
		assertThat(lock.isHeld()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void lockIsAcquiredOnceWhateverIsLost(long seed) {
		ConditionalStore busy = new ConditionalStore(System::nanoTime);
		QuorateClient client = client(node(busy));
		busy.lose(RecipeTests.lossy(seed));
		HeldLock lock = client.lock(LOCK, TTL);
		assertThat("\"" + lock.token() + "\"").isEqualTo(busy.etag(LOCK));
		lock.release();
		assertThat(busy.keys()).isEmpty();
	}

	@Test
	void secondHolderWaitsForTheFirst() throws InterruptedException {
		ConditionalStore busy = new ConditionalStore(System::nanoTime);
		QuorateAsyncClient client = opened(builder(node(busy)).buildAsync());
		HeldLock first = client.lock(LOCK, TTL).join();
		CompletableFuture<HeldLock> second = client.lock(LOCK, TTL, Duration.ofMinutes(1));
		await(() -> busy.asked().stream().anyMatch((each) -> each.startsWith("HEAD lock:report?wait=")));
		assertThat(second).isNotDone();
		first.releaseAsync().join();
		assertThat(second.orTimeout(60, TimeUnit.SECONDS).join().token()).isGreaterThan(first.token());
	}

	@Test
	void waiterLeavesAPlaceForTheReleaseOfTheHolder() throws InterruptedException {
		HostileServer node = patient();
		QuorateAsyncClient client = opened(new QuorateAsyncClient(core(node, 1)));
		HeldLock first = client.lock(LOCK, TTL).join();
		CompletableFuture<HeldLock> second = client.lock(LOCK, TTL, Duration.ofMinutes(1));
		await(() -> waiters(node) == 1);
		await(first.releaseAsync()::isDone);
		this.timer.advance(Duration.ofSeconds(1));
		await(second::isDone);
		assertThat(second.join().token()).isGreaterThan(first.token());
	}

	@Test
	void waitersLeaveAPlaceForTheRenewalsOfTheHolder() throws InterruptedException {
		HostileServer node = patient();
		QuorateAsyncClient client = opened(new QuorateAsyncClient(core(node, 2)));
		Duration ttl = Duration.ofSeconds(5);
		HeldLock held = client.lock(LOCK, ttl).join();
		List<CompletableFuture<HeldLock>> waiting = List.of(client.lock(LOCK, ttl, Duration.ofHours(1)),
				client.lock(LOCK, ttl, Duration.ofHours(1)));
		await(() -> waiters(node) == 2);
		for (int i = 0; i < 36; i++) {
			advance(ttl.dividedBy(3), ttl.dividedBy(3));
		}
		assertThat(held.isHeld()).as("held for a minute").isTrue();
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
	}

	@Test
	void releaseComesBeforeAllCallsThatWait() throws InterruptedException {
		CountDownLatch isLate = new CountDownLatch(1);
		HostileServer slow = node((connection, request) -> {
			if (request.target().endsWith("/slow")) {
				isLate.await();
			}
			this.store.answer(connection, request);
		});
		QuorateAsyncClient client = opened(new QuorateAsyncClient(core(slow, 1)));
		HeldLock lock = client.lock(LOCK, TTL).join();
		List<CompletableFuture<?>> calls = new ArrayList<>();
		for (String key : List.of("slow", "second", "third")) {
			calls.add(client.put(key, ""));
		}
		calls.add(lock.releaseAsync());
		isLate.countDown();
		await(() -> calls.stream().allMatch(CompletableFuture::isDone));
		assertThat(this.store.asked()).containsExactly("PUT lock:report?ttl=30", "PUT slow", "DELETE lock:report",
				"PUT second", "PUT third");
	}

	@Test
	void lockThatIsOverSinceItWasCreatedIsNotHeld() throws InterruptedException {
		// The answer is lost, and the next attempt comes behind the expiry.
		this.store.lose((method, key) -> {
			if (this.store.asked().size() == 1) {
				return Fault.ANSWER;
			}
			this.timer.advance(Duration.ofSeconds(31));
			return Fault.NONE;
		});
		QuorateAsyncClient client = opened(new QuorateAsyncClient(core()));
		CompletableFuture<HeldLock> acquiring = client
			.with((options) -> options.deadline(Duration.ofSeconds(90)).stallTimeout(Duration.ofSeconds(90)))
			.lock(LOCK, TTL, Duration.ZERO);
		Duration longest = Duration.ofMillis(200);
		await(() -> this.timer.asked().stream().anyMatch((pause) -> pause.compareTo(longest) < 0));
		this.timer.advance(longest);
		await(acquiring::isDone);
		assertThat(acquiring.handle((lock, failure) -> failure).join()).isInstanceOf(LockedException.class);
		assertThat(this.store.asked()).containsExactly("PUT lock:report?ttl=30", "PUT lock:report?ttl=30");
	}

	@ParameterizedTest
	@EnumSource(names = { "REQUEST", "ANSWER" })
	void acquisitionWithoutAnOutcomeLeavesNoLock(Fault fault) throws InterruptedException {
		ConditionalStore busy = new ConditionalStore(System::nanoTime);
		busy.lose((method, key) -> method.equals("PUT") ? fault : Fault.NONE);
		QuorateClient client = client(node(busy)).with((options) -> options.deadline(millis(500)));
		caught(OutcomeUnknownException.class, () -> client.lock(LOCK, TTL, Duration.ZERO));
		assertThat(busy.keys()).hasSize((fault == Fault.ANSWER) ? 1 : 0);
		busy.lose((method, key) -> Fault.NONE);
		await(() -> busy.asked().stream().anyMatch((each) -> each.startsWith("DELETE")) && busy.keys().isEmpty());
	}

	@Test
	void cancelledAcquisitionLeavesNoLock() throws InterruptedException {
		ConditionalStore busy = new ConditionalStore(System::nanoTime);
		busy.lose((method, key) -> method.equals("PUT") ? Fault.ANSWER : Fault.NONE);
		QuorateAsyncClient client = opened(builder(node(busy)).buildAsync());
		CompletableFuture<HeldLock> acquiring = client.lock(LOCK, TTL);
		await(() -> busy.keys().contains(LOCK));
		acquiring.cancel(true);
		busy.lose((method, key) -> Fault.NONE);
		await(() -> busy.keys().isEmpty());
	}

	@Test
	void jobIsLeasedCountedAndDeleted() {
		QuorateClient client = client();
		this.store.put("jobs:mail:1",
				"{\"to\":\"anna\",\"attempt\":0,\"sum\":1.10,\"large\":123456789012345678901234567890}");
		try (Job job = client.take("jobs:mail:", TTL).orElseThrow()) {
			assertThat(job.key()).isEqualTo("jobs:mail:1");
			assertThat(job.text()).isEqualTo("{\"to\":\"anna\",\"sum\":1.10,\"large\":123456789012345678901234567890}");
			assertThat(job.value()).isEqualTo(Scripts.bytes(job.text()));
			assertThat(job.attempt()).isEqualTo(1);
			assertThat("\"" + job.token() + "\"").isEqualTo(this.store.etag("jobs:mail:1"));
			assertThat(this.store.text("jobs:mail:1")).startsWith("{\"attempt\":1,\"to\":\"anna\"");
			assertThat(this.store.keys()).containsExactly("jobs:mail:1", "lease:mail:1");
			assertThat(client.take("jobs:mail:", TTL)).isEmpty();
		}
		// It was not done.
		assertThat(this.store.keys()).containsExactly("jobs:mail:1");
		try (Job job = client.take("jobs:mail:", TTL).orElseThrow()) {
			assertThat(job.attempt()).isEqualTo(2);
			job.done();
		}
		assertThat(this.store.keys()).isEmpty();
		for (String prefix : List.of("mail:", "myjobs:", "jobs")) {
			caught(IllegalArgumentException.class, () -> client.take(prefix, TTL));
		}
		caught(IllegalArgumentException.class, () -> client.take("jobs:", Duration.ofSeconds(1)));
		caught(IllegalArgumentException.class, () -> client.take("jobs:", TTL, Duration.ZERO, 0));
	}

	@Test
	void jobIsBegunAgainWhenItsLeaseIsOver() {
		QuorateClient client = client();
		this.store.put("shop:jobs:1", "{}");
		Job first = client.take("shop:jobs:", TTL).orElseThrow();
		this.store.drop("shop:lease:1");
		Job second = client.take("shop:jobs:", TTL).orElseThrow();
		assertThat(second.attempt()).isEqualTo(2);
		assertThat(second.token()).isGreaterThan(first.token());
		caught(LockLostException.class, first::done);
		second.doneAsync().join();
		assertThat(this.store.keys()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"attempt\":3}", "[]", "text", "", "{\"attempt\":\"1\"}", "{}x" })
	void jobThatFailsEachTimeIsBuriedAndSoIsWhatIsNone(String value) {
		this.store.put("jobs:mail:1", value);
		assertThat(client().take("jobs:mail:", TTL)).isEmpty();
		assertThat(this.store.keys()).containsExactly("dead:mail:1");
		assertThat(this.store.text("dead:mail:1")).isEqualTo(value);
	}

	@Test
	void jobIsBuriedOverAnEarlierOneOfItsKey() {
		QuorateClient client = client();
		for (String value : List.of("{\"attempt\":3,\"to\":\"anna\"}", "{\"attempt\":3,\"to\":\"berta\"}")) {
			this.store.put("jobs:mail:1", value);
			assertThat(client.take("jobs:mail:", TTL)).isEmpty();
			assertThat(this.store.keys()).containsExactly("dead:mail:1");
			assertThat(this.store.text("dead:mail:1")).isEqualTo(value);
		}
	}

	@Test
	void eachJobIsBegunOnceWhateverIsLost() {
		ConditionalStore busy = new ConditionalStore(System::nanoTime);
		QuorateReactiveClient client = opened(QuorateReactiveClient.of(builder(node(busy)).buildAsync()));
		for (int i = 0; i < 10; i++) {
			busy.put("jobs:mail:" + i, "{}");
		}
		busy.lose(RecipeTests.lossy(3));
		for (int i = 0; i < 10; i++) {
			Job job = client.take("jobs:mail:", TTL).blockOptional().orElseThrow();
			assertThat(job.attempt()).isEqualTo(1);
			job.doneAsync().join();
		}
		busy.lose((method, key) -> Fault.NONE);
		assertThat(client.take("jobs:mail:", TTL).blockOptional()).isEmpty();
		assertThat(busy.keys()).isEmpty();
	}

	@Test
	void workerFindsTheOneJobThatIsLeft() {
		QuorateClient client = client();
		for (int i = 0; i < 150; i++) {
			this.store.put("jobs:mail:%03d".formatted(i), "{}");
			if (i != 149) {
				this.store.put("lease:mail:%03d".formatted(i), "");
			}
		}
		client.take("jobs:mail:", TTL).orElseThrow().done();
		assertThat(client.take("jobs:mail:", TTL)).isEmpty();
		assertThat(this.store.asked()).filteredOn((each) -> each.contains("entities"))
			.extracting((each) -> each.replaceFirst("&limit.*", ""))
			.contains("GET /v0/entities?prefix=jobs%3Amail%3A&keys=true",
					"GET /v0/entities?start=jobs%3Amail%3A000&end=jobs%3Amail%3B&keys=true");
	}

	@Test
	void workerWaitsForAJob() {
		ConditionalStore busy = new ConditionalStore(System::nanoTime);
		QuorateClient client = client(node(busy));
		busy.meanwhile(() -> {
			if (busy.asked().size() == 1) {
				busy.put("jobs:mail:1", "{}");
			}
		});
		Optional<Job> job = client.take("jobs:mail:", TTL, Duration.ofMinutes(1), 3);
		assertThat(job).isPresent();
	}

}
