package io.quorate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.quorate.client.ConditionalStore.Fault;
import io.quorate.client.ConditionalStore.Faults;
import io.quorate.client.HostileServer.Script;
import io.quorate.client.reactor.QuorateReactiveClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Updates, numbers, creations and deletions of prefixes on a node that loses requests.
 */
class RecipeTests extends HostileTests {

	private final ConditionalStore store = new ConditionalStore(System::nanoTime);

	private final HostileServer server = node(this.store);

	private QuorateClient client() {
		return client(this.server);
	}

	/* The first request of a method has the fault. */
	static Faults once(String method, Fault fault) {
		boolean[] isDone = new boolean[1];
		return (asked, key) -> {
			boolean isFirst = asked.equals(method) && !isDone[0];
			isDone[0] |= isFirst;
			return isFirst ? fault : Fault.NONE;
		};
	}

	/* Each third write is lost, or its answer. */
	static Faults lossy(long seed) {
		Random random = new Random(seed);
		return (method, key) -> method.equals("GET") ? Fault.NONE : switch (random.nextInt(6)) {
			case 0 -> Fault.REQUEST;
			case 1 -> Fault.ANSWER;
			default -> Fault.NONE;
		};
	}

	private static String text(Optional<Entity> now) {
		return now.map(Entity::text).orElse("");
	}

	@Test
	void updateCreatesReplacesLeavesAndDeletes() {
		QuorateClient client = client();
		assertThat(client.update("k", (now) -> Put.of("k", text(now) + "a"))).map(Written::etag)
			.contains(this.store.etag("k"));
		client.update("k", (now) -> Put.of("k", text(now) + "b"));
		assertThat(this.store.text("k")).isEqualTo("ab");
		assertThat(client.update("k", (now) -> null)).isEmpty();
		assertThat(client.update("k", (now) -> Delete.of("k"))).isPresent();
		assertThat(this.store.keys()).isEmpty();
		assertThat(client.update("k", (now) -> Delete.of("k"))).isEmpty();
		caught(IllegalArgumentException.class, () -> client.update("k", (now) -> Put.of("other", "")));
		caught(IllegalArgumentException.class, () -> client.update("k", (now) -> Get.of("k")));
	}

	@Test
	void updateKeepsTheExpiry() {
		QuorateClient client = client();
		client.update("k", (now) -> Put.of("k", "a").ttl(Duration.ofHours(1)));
		client.update("k", (now) -> Put.of("k", text(now) + "b"));
		assertThat(this.store.expires("k")).isTrue();
		assertThat(this.store.asked()).filteredOn((each) -> each.startsWith("PUT"))
			.containsExactly("PUT k?ttl=3600", "PUT k?ttl=keep");
	}

	@Test
	void functionIsCalledAgainOnItsThreadForWhatOthersWrote() {
		List<String> seen = new ArrayList<>();
		List<Thread> threads = new ArrayList<>();
		client().update("k", (now) -> {
			seen.add(text(now));
			threads.add(Thread.currentThread());
			if (seen.size() < 4) {
				this.store.put("k", "other " + seen.size());
			}
			return Put.of("k", text(now) + "!");
		});
		assertThat(seen).containsExactly("", "other 1", "other 2", "other 3");
		assertThat(threads).containsOnly(Thread.currentThread());
		assertThat(this.store.text("k")).isEqualTo("other 3!");
	}

	@Test
	void othersThatAreAlwaysFasterAreADeadline() {
		QuorateClient client = client().with((options) -> options.deadline(millis(500)));
		DeadlineExceededException error = caught(DeadlineExceededException.class, () -> client.update("k", (now) -> {
			this.store.put("k", "other");
			return Put.of("k", "mine");
		}));
		assertThat(error).hasMessageContaining("faster");
		assertThat(this.store.text("k")).isEqualTo("other");
	}

	@Test
	void errorOfAFunctionIsThatOfTheCallAndWritesNothing() {
		ArithmeticException fault = new ArithmeticException("mine");
		assertThat(caught(ArithmeticException.class, () -> client().update("k", (now) -> {
			throw fault;
		}))).isSameAs(fault);
		QuorateAsyncClient async = opened(builder(this.server).buildAsync());
		assertThat(caught(CompletionException.class, () -> async.update("k", (now) -> {
			throw fault;
		}).join())).hasCause(fault);
		assertThat(this.store.keys()).isEmpty();
	}

	@Test
	void recipesAreForAMajorityOfAll() {
		QuorateClient client = client((options) -> options.ack(1).from(1), this.server);
		client.increment("k", 1);
		client.putIfAbsent(put());
		client.deletePrefix("k:");
		client.lock("lock:k", Duration.ofSeconds(30)).close();
		client.take("jobs:", Duration.ofSeconds(30));
		assertThat(this.store.asked()).hasSizeGreaterThan(6).noneMatch((each) -> each.matches(".*(ack|from)=.*"));
	}

	@Test
	void threadsCountEachStepWhateverIsLost() {
		this.store.lose(lossy(7));
		QuorateClient client = client();
		QuorateAsyncClient async = opened(builder(this.server).buildAsync());
		QuorateReactiveClient reactive = QuorateReactiveClient.of(async);
		List<CompletableFuture<Void>> threads = IntStream.range(0, 8)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> {
				for (int step = 0; step < 50; step++) {
					switch (thread % 3) {
						case 0 -> client.increment("hits", 1);
						case 1 -> async.increment("hits", 1).join();
						default -> reactive.increment("hits", 1).block();
					}
				}
			}, (task) -> new Thread(task).start()))
			.toList();
		threads.forEach(CompletableFuture::join);
		assertThat(this.store.text("hits")).isEqualTo("400");
	}

	@Test
	void numberIsCreatedWithItsTimeToLive() {
		QuorateClient client = client();
		assertThat(client.increment("k", 3, Duration.ofMinutes(2))).isEqualTo(3);
		assertThat(client.increment("k", -5, Duration.ofMinutes(2))).isEqualTo(-2);
		assertThat(this.store.asked()).filteredOn((each) -> each.startsWith("PUT"))
			.containsExactly("PUT k?ttl=120", "PUT k?ttl=keep");
		this.store.put("k", "many");
		assertThat(caught(IllegalStateException.class, () -> client.increment("k", 1))).hasMessageContaining("of k is");
		this.store.put("k", Long.toString(Long.MAX_VALUE));
		caught(ArithmeticException.class, () -> client.increment("k", 1));
	}

	@ParameterizedTest
	@EnumSource(names = { "REQUEST", "ANSWER" })
	void valueIsCreatedOnce(Fault fault) {
		this.store.lose(once("PUT", fault));
		QuorateClient client = client();
		assertThat(client.putIfAbsent(Put.of("k", "mine")).map(Written::replayed)).contains(fault == Fault.ANSWER);
		assertThat(client.putIfAbsent(Put.of("k", "other"))).isEmpty();
		assertThat(this.store.text("k")).isEqualTo("mine");
	}

	@Test
	void valueThatIsThereIsAskedForByItsKeyBehindARead() {
		Script unmet = Scripts.problemWith(412, "precondition-failed", ",\"current\":\"\\\"9\\\"\"");
		Script replayed = Scripts.answer(201, "", "ETag: \"7\"", "Idempotency-Replayed: true",
				"Quorate-Current: \"7\"");
		HostileServer ours = node(Scripts.CUT, unmet, Scripts.value(""), replayed);
		assertThat(client(ours).putIfAbsent(put())).contains(new Written("\"7\"", true, "\"7\""));
		HostileServer others = node(Scripts.CUT, unmet, Scripts.value(""), unmet);
		assertThat(client(others).putIfAbsent(put())).isEmpty();
		for (HostileServer each : List.of(ours, others)) {
			assertThat(each.received()).extracting((request) -> request.method() + " " + request.target())
				.containsExactly("PUT /v0/entity/k", "PUT /v0/entity/k", "HEAD /v0/entity/k?consistency=linearizable",
						"PUT /v0/entity/k");
			assertThat(each.received()).filteredOn((request) -> request.method().equals("PUT"))
				.extracting((request) -> request.fields().get("idempotency-key"))
				.doesNotContainNull()
				.containsOnly(each.received().get(0).fields().get("idempotency-key"));
		}
	}

	@Test
	void outcomeThatStaysUnknownIsAnError() {
		this.store.lose((method, key) -> Fault.REQUEST);
		QuorateClient client = client().with((options) -> options.deadline(millis(500)));
		caught(OutcomeUnknownException.class, () -> client.putIfAbsent(put()));
		Script forgotten = Scripts.problemWith(412, "precondition-failed", ",\"outcome\":\"unknown\"");
		HostileServer server = node(Scripts.CUT, forgotten);
		caught(OutcomeUnknownException.class, () -> client(server).putIfAbsent(put()));
		assertThat(server.received()).hasSize(2);
	}

	@Test
	void contendedWriteIsRepeatedUntilTheDeadline() {
		Script contended = Scripts.problem(409, "contended");
		HostileServer server = node(contended, contended, contended, contended, contended, Scripts.written());
		assertThat(client(server).putIfAbsent(put())).isPresent();
	}

	@Test
	void prefixIsDeletedInPartsAndWhatOthersWriteStays() {
		for (int i = 0; i < 600; i++) {
			this.store.put("p:%03d".formatted(i), "");
		}
		this.store.put("p;", "");
		boolean[] isDone = new boolean[1];
		this.store.lose((method, key) -> {
			if (key.equals("/v0/batch") && !isDone[0]) {
				this.store.put("p:001", "new");
				isDone[0] = true;
			}
			return Fault.NONE;
		});
		assertThat(client().deletePrefix("p:")).isEqualTo(599);
		assertThat(this.store.keys()).containsExactly("p:001", "p;");
		assertThat(this.store.asked()).filteredOn("POST /v0/batch"::equals).hasSize(3);
		caught(IllegalArgumentException.class, () -> client().deletePrefix(""));
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void lostAnswersDelayADeletion(long seed) {
		for (int i = 0; i < 10; i++) {
			this.store.put("p:" + i, "");
		}
		this.store.lose(lossy(seed));
		assertThat(client().deletePrefix("p:")).isEqualTo(10);
		assertThat(this.store.keys()).isEmpty();
	}

	@Test
	void deletionThatIsRefusedIsAnError() {
		this.store.put("p:1", "");
		HostileServer refusing = node(
				Scripts.sends(Scripts.lines("{\"key\":\"p:1\",\"size\":1,\"etag\":\"\\\"1\\\"\"}", RangeStore.last(1))),
				Scripts.sends(Scripts
					.lines("{\"status\":403,\"problem\":" + Scripts.document(403, "forbidden", "").strip() + "}")));
		caught(ForbiddenException.class, () -> client(refusing).deletePrefix("p:"));
	}

	@Test
	void roundsThatHaveEndedAreHeldByNone() {
		AtomicReference<CompletableFuture<Optional<String>>> present = new AtomicReference<>();
		CompletableFuture<String> result = Steps.repeat(() -> {
			present.set(new CompletableFuture<>());
			return present.get();
		});
		for (int i = 0; i < 100_000; i++) {
			CompletableFuture<Optional<String>> before = present.get();
			before.complete(Optional.empty());
			assertThat(before.getNumberOfDependents()).isZero();
			assertThat(present.get().getNumberOfDependents()).isEqualTo(1);
		}
		present.get().complete(Optional.of("job"));
		assertThat(result).isCompletedWithValue("job");
	}

	@Test
	void roundThatThrowsEndsItsRecipe() {
		AtomicReference<CompletableFuture<Optional<String>>> first = new AtomicReference<>();
		ArithmeticException fault = new ArithmeticException("second");
		CompletableFuture<String> result = Steps.repeat(() -> {
			if (first.get() != null) {
				throw fault;
			}
			first.set(new CompletableFuture<>());
			return first.get();
		});
		first.get().complete(Optional.empty());
		assertThat(caught(CompletionException.class, result::join)).hasCause(fault);
	}

	@Test
	void interruptEndsARecipe() throws InterruptedException {
		this.store.lose((method, key) -> method.equals("PUT") ? Fault.REQUEST : Fault.NONE);
		QuorateClient client = client();
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		CountDownLatch hasAsked = new CountDownLatch(1);
		this.store.meanwhile(hasAsked::countDown);
		Thread thread = new Thread(
				() -> failure.complete(caught(QuorateException.class, () -> client.increment("k", 1))));
		thread.start();
		assertThat(hasAsked.await(10 * SLOWNESS, TimeUnit.SECONDS)).isTrue();
		thread.interrupt();
		assertThat(failure.orTimeout(10 * SLOWNESS, TimeUnit.SECONDS).join())
			.isInstanceOfAny(OutcomeUnknownException.class, CallInterruptedException.class);
	}

	@Test
	void closedClientEndsARecipe() throws InterruptedException {
		this.store.lose((method, key) -> method.equals("PUT") ? Fault.REQUEST : Fault.NONE);
		QuorateAsyncClient client = builder(this.server).buildAsync();
		CompletableFuture<Long> counting = client.increment("k", 1);
		await(() -> this.store.asked().size() > 1);
		client.close();
		assertThat(caught(CompletionException.class, () -> counting.orTimeout(10 * SLOWNESS, TimeUnit.SECONDS).join())
			.getCause()).isInstanceOf(QuorateException.class);
		caught(IllegalStateException.class, () -> client.increment("k", 1));
	}

	/** Lines of a cart, as a program has them. */
	record Cart(List<String> lines, int version) {
	}

	@Test
	void objectsAreJsonByTheirCodec() {
		Codec<Cart> carts = Codec.json(Cart.class);
		QuorateClient client = client();
		client.put(Put.of("cart:7", new Cart(List.of("Äpfel"), 1), carts));
		assertThat(this.server.received().get(0).fields()).containsEntry("content-type", "application/json");
		client.update("cart:7", (now) -> {
			Cart cart = now.map((entity) -> carts.decode(entity.value())).orElseThrow();
			return Put.of("cart:7", new Cart(List.of("Birnen"), cart.version() + 1), carts);
		});
		assertThat(this.store.text("cart:7")).isEqualTo("{\"lines\":[\"Birnen\"],\"version\":2}");
		caught(RuntimeException.class, () -> carts.decode(Scripts.bytes("{\"other\":1}")));
		caught(RuntimeException.class, () -> carts.decode(Scripts.bytes("[]")));
	}

}
