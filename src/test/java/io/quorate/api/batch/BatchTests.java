package io.quorate.api.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.api.batch.OpenCalls.Call;
import io.quorate.api.body.AuthorizedCoordinator;
import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.request.ConditionalProperties;
import io.quorate.api.request.Operation;
import io.quorate.api.watch.Watched;
import io.quorate.clock.Deadline;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.KeyWaits;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Value;
import io.quorate.security.access.TestAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** The order in which the items of a batch are done and answered. */
class BatchTests {

	private static final int MOST_KEPT = 1000;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final OpenCalls calls = new OpenCalls();

	private final HeldLoop loop = new HeldLoop();

	private final List<BatchAnswer> answers = new ArrayList<>();

	private Admission admission = new Admission(1000, 100_000, this.meters);

	private Deadline deadline = Deadline.after(Duration.ofMinutes(1));

	@AfterEach
	void everythingIsGivenBack() {
		assertThat(this.admission.requests()).as("requests in flight").isZero();
		assertThat(this.admission.bytes()).as("bytes in flight").isZero();
	}

	@Test
	void atMostSixtyFourItemsAreUnderWay() {
		try (Run run = new Run(puts(200, (i) -> "k" + i))) {
			run.pull();
			assertThat(this.calls.open).hasSize(64);
			this.calls.open.get(40).answer();
			assertThat(this.calls.open).hasSize(64);
			assertThat(this.calls.all).hasSize(65);
			answerAll();
			assertThat(this.calls.mostOpen).isEqualTo(64);
			assertThat(this.calls.all).hasSize(200);
		}
	}

	@Test
	void aRequestBesideABatchWaitsForEightOfItsItems() {
		this.loop.hold();
		try (Run run = new Run(puts(200, (i) -> "k" + i))) {
			run.pull();
			for (int items = 8; items <= 64; items += 8) {
				this.loop.turn();
				assertThat(this.calls.all).as("begun before the turn of another request").hasSize(items);
			}
			this.loop.turn();
			assertThat(this.calls.all).as("at most so many are under way").hasSize(64);
			this.loop.runOn();
			answerAll();
			run.pullAll();
			assertThat(statuses()).hasSize(200).containsOnly(201);
		}
	}

	@Test
	void aRequestBesideABatchWaitsForEightLinesThatAreNone() {
		this.loop.hold();
		try (Run run = new Run(IntStream.range(0, 20).mapToObj((_) -> "no item").toList())) {
			run.pull();
			for (int lines : new int[] { 8, 16, 20 }) {
				this.loop.turn();
				assertThat(
						this.meters.get("quorate.batch.items").tags("op", "invalid", "status", "400").counter().count())
					.isEqualTo(lines);
			}
			this.loop.runOn();
		}
	}

	@Test
	void anItemThatTakesLongDelaysNoOther() {
		try (Run run = new Run(puts(300, (i) -> "k" + i))) {
			run.pull();
			Call slow = this.calls.open.getFirst();
			while (this.calls.open.size() > 1) {
				this.calls.open.getLast().answer();
			}
			assertThat(this.calls.all).as("begun").hasSize(300);
			assertThat(this.answers).as("answered before the first").isEmpty();
			slow.fail(new IllegalStateException("slow"));
			run.pullAll();
			assertThat(statuses()).startsWith(500, 201).hasSize(300);
		}
	}

	@Test
	void itemsOfOneKeyAreDoneOneAfterAnother() {
		try (Run run = new Run(puts(300, (i) -> (i < 100) ? "same" : "k" + i))) {
			run.pull();
			assertThat(ofKey("same")).as("under way at once").hasSize(1);
			assertThat(this.calls.open).as("others are not delayed").hasSize(64);
			for (int i = 0; i < 100; i++) {
				Call next = ofKey("same").getLast();
				assertThat(new String(next.value.array(), UTF_8)).isEqualTo("v" + i);
				next.answer();
				assertThat(ofKey("same")).hasSize(Math.min(i + 2, 100));
			}
			answerAll();
			run.pullAll();
			assertThat(statuses()).hasSize(300).containsOnly(201);
		}
	}

	@Test
	void aFailedItemOfAKeyLetsTheNextBegin() {
		try (Run run = new Run(puts(3, (_) -> "same"))) {
			run.pull();
			this.calls.open.getFirst().fail(new IllegalStateException());
			this.calls.open.getFirst().answer();
			this.calls.open.getFirst().answer();
			run.pullAll();
			assertThat(statuses()).containsExactly(500, 201, 201);
		}
	}

	@Test
	void noItemOfABrokenBatchBegins() {
		try (Run run = new Run(puts(100, (i) -> "k" + i))) {
			run.pull();
			this.calls.open.getFirst().answer();
			assertThat(this.answers).as("the client has not asked for more").hasSize(1);
			this.calls.fault = new StackOverflowError("planted");
			this.calls.open.getFirst().answer();
			int begun = this.calls.all.size();
			answerAll();
			assertThat(this.calls.all).hasSize(begun);
			run.pull();
			assertThat(this.answers).as("those before the item that broke it").hasSize(65);
			StepVerifier.create(run.batch.nextPage()).verifyErrorMessage("planted");
			assertThat(this.calls.all).hasSize(begun);
		}
	}

	@Test
	void answersComeInTheOrderOfTheLines() {
		try (Run run = new Run(puts(10, (i) -> "k" + i))) {
			run.pull();
			List<Call> begun = List.copyOf(this.calls.open);
			begun.get(1).answer();
			begun.get(9).answer();
			assertThat(this.answers).isEmpty();
			begun.get(0).answer();
			assertThat(tags()).containsExactly(3, 1);
			run.pull();
			assertThat(this.answers).hasSize(2);
			begun.get(3).answer();
			begun.get(2).answer();
			assertThat(tags()).containsExactly(3, 1, 5, 4);
			answerAll();
			run.pullAll();
			assertThat(tags()).containsExactly(3, 1, 5, 4, 6, 7, 8, 9, 10, 2);
		}
	}

	@Test
	void repliesInAnyOrderLeaveEachKeyItsOrder() {
		for (int seed = 0; seed < 200; seed++) {
			Random random = new Random(seed);
			this.calls.all.clear();
			this.answers.clear();
			int keys = 1 + random.nextInt(30);
			List<String> items = IntStream.range(0, 1 + random.nextInt(200))
				.mapToObj((i) -> item(random.nextInt(3), "k" + random.nextInt(keys), i))
				.toList();
			try (Run run = new Run(items)) {
				run.pull();
				while (!run.batch.isOver()) {
					if (!this.calls.open.isEmpty()) {
						Call call = this.calls.open.get(random.nextInt(this.calls.open.size()));
						assertThat(this.calls.open).filteredOn((other) -> other.key.equals(call.key)).hasSize(1);
						call.answer();
					}
					if (random.nextBoolean()) {
						run.pull();
					}
				}
			}
			assertThat(byKey(this.calls.all.stream().map(Call::toString).toList())).as("seed %d", seed)
				.isEqualTo(byKey(items.stream().map(BatchTests::described).toList()));
			assertThat(this.answers).hasSize(items.size());
		}
	}

	@Test
	void itemsThatHaveNotBegunNeverDoWhenTheClientIsGone() {
		List<String> items = new ArrayList<>(puts(30, (i) -> "k" + i));
		items.addAll(puts(10, (_) -> "k0"));
		items.addAll(List.of(item(1, "r", 0)));
		items.addAll(puts(100, (i) -> "z" + i));
		Run run = new Run(items);
		run.pull();
		List<Call> begun = List.copyOf(this.calls.open);
		assertThat(begun).hasSize(64);
		run.close();
		assertThat(begun).filteredOn((call) -> call.isCancelled).extracting(Call::toString).containsExactly("get r");
		assertThat(this.admission.requests()).as("writes go on").isEqualTo(63);
		answerAll();
		assertThat(this.calls.all).hasSize(64);
		assertThat(this.answers).isEmpty();
	}

	@Test
	void valuesThatWaitForTheClientKeepOthersFromBeingRead() {
		try (Run run = new Run(gets(100))) {
			run.pull();
			assertThat(this.calls.open).as("while nothing is known of their size").hasSize(BatchRoom.FIRST_READS);
			this.calls.open.getFirst().answer(value(250));
			assertThat(this.answers).as("the first has left").hasSize(1);
			List.copyOf(this.calls.open).forEach((call) -> call.answer(value(250)));
			assertThat(this.calls.open).as("full of what waits for the client").isEmpty();
			assertThat(this.admission.bytes()).isEqualTo(run.bodyBytes + 8 * 250);
			run.pull();
			assertThat(this.answers).hasSize(8);
			assertThat(this.calls.open).isEmpty();
			run.pull();
			assertThat(this.calls.open).as("as many as there may be room for").hasSize(4);
		}
		assertThat(this.calls.open).isEmpty();
	}

	/* All room is taken by values behind one that waits for its key. */
	@Test
	void theItemThatTheClientWaitsForFindsRoom() {
		List<String> items = new ArrayList<>(List.of(item(1, "same", 0), item(1, "same", 1)));
		items.addAll(gets(20));
		try (Run run = new Run(items)) {
			run.pull();
			List<Call> begun = List.copyOf(this.calls.open);
			assertThat(begun).hasSize(8);
			begun.subList(1, 8).forEach((call) -> call.answer(value(500)));
			assertThat(this.calls.open).containsExactly(begun.getFirst());
			begun.getFirst().answer(value(500));
			assertThat(this.answers).hasSize(1);
			run.pull();
			assertThat(this.calls.open).extracting(Call::toString).containsExactly("get same");
			this.calls.open.getFirst().answer();
			assertThat(this.answers).hasSize(9);
		}
	}

	@Test
	void smallAnswersDoNotWaitForTheClient() {
		try (Run run = new Run(puts(500, (i) -> "k" + i))) {
			run.pull();
			answerAll();
			assertThat(this.calls.all).hasSize(500);
			assertThat(this.answers).hasSize(1);
		}
	}

	@Test
	void aPageIsSmallUnlessOneAnswerIsLarge() {
		this.admission = new Admission(1000, 1_000_000, this.meters);
		try (Run run = new Run(gets(12), 1_000_000)) {
			run.pull();
			this.calls.open.get(0).answer(value(10));
			assertThat(this.answers).hasSize(1);
			this.calls.open.get(0).answer(value(30_000));
			this.calls.open.get(0).answer(value(10_000));
			this.calls.open.get(0).answer(value(200_000));
			this.calls.open.get(0).answer(value(10));
			this.calls.open.get(0).answer(value(10));
			run.pull();
			assertThat(this.answers).as("two together").hasSize(3);
			run.pull();
			assertThat(this.answers).as("one alone").hasSize(4);
			run.pull();
			assertThat(this.answers).hasSize(6);
		}
	}

	@Test
	void anOverloadedNodeRefusesItems() {
		this.admission = new Admission(11, 100_000, this.meters);
		try (Run run = new Run(puts(30, (i) -> "k" + i))) {
			run.pull();
			assertThat(this.calls.all).hasSize(10);
			answerAll();
			run.pullAll();
			assertThat(statuses().subList(0, 10)).containsOnly(201);
			assertThat(statuses().subList(10, 30)).containsOnly(503);
		}
	}

	@Test
	void aValueForWhichThereIsNoRoomIsRefused() {
		try (Run run = new Run(gets(3))) {
			run.pull();
			this.calls.open.getFirst().answer(value(10));
			this.calls.open.getFirst().answer(value(100_000));
			this.calls.open.getFirst().answer(value(20));
			run.pullAll();
			assertThat(statuses()).containsExactly(200, 503, 200);
		}
	}

	@Test
	void nothingBeginsPastTheDeadline() {
		this.deadline = Deadline.after(Duration.ZERO);
		try (Run run = new Run(puts(100, (i) -> "k" + i % 7))) {
			run.pullAll();
			assertThat(statuses()).hasSize(100).containsOnly(503);
			assertThat(this.calls.all).isEmpty();
		}
	}

	@Test
	void thePermitOfAnItemCountsItsValue() {
		try (Run run = new Run(List.of("{\"op\":\"put\",\"id\":\"a\",\"value\":\"QUJDREVG\"}",
				"{\"op\":\"put\",\"id\":\"b\",\"value\":\"QUJDRA==\"}",
				"{\"op\":\"put\",\"id\":\"c\",\"value\":\"Q*==\"}"))) {
			run.pull();
			assertThat(this.admission.bytes()).isEqualTo(run.bodyBytes + 6 + 4);
			assertThat(this.admission.requests()).isEqualTo(3);
			answerAll();
			run.pullAll();
			assertThat(statuses()).containsExactly(201, 201, 400);
		}
	}

	@Test
	void aBatchOfTenThousandAnswersKeepsNoStack() {
		try (Run run = new Run(IntStream.range(0, 10_000).mapToObj((_) -> "no item").toList())) {
			run.pullAll();
			assertThat(statuses()).hasSize(10_000).containsOnly(400);
		}
	}

	@Test
	void aPageIsAlwaysOfTheNextAnswers() {
		try (Run run = new Run(puts(5, (i) -> "k" + i))) {
			var page = run.batch.nextPage().toFuture();
			this.calls.open.get(2).answer();
			assertThat(page).isNotDone();
			this.calls.open.get(0).answer();
			assertThat(page).isCompletedWithValueMatching((answered) -> answered.size() == 1);
			answerAll();
			assertThat(run.batch.nextPage().block()).hasSize(4);
			assertThat(run.batch.isOver()).isTrue();
		}
	}

	private void answerAll() {
		while (!this.calls.open.isEmpty()) {
			this.calls.open.getFirst().answer();
		}
	}

	private List<Call> ofKey(String key) {
		return this.calls.all.stream().filter((call) -> call.key.toString().equals(key)).toList();
	}

	private List<Integer> statuses() {
		return this.answers.stream().map(BatchAnswer::status).toList();
	}

	private List<Integer> tags() {
		return this.answers.stream().map((answer) -> (int) requireNonNull(answer.version()).hybrid()).toList();
	}

	private static List<String> puts(int count, IntFunction<String> key) {
		return IntStream.range(0, count).mapToObj((i) -> item(0, key.apply(i), i)).toList();
	}

	private static List<String> gets(int count) {
		return IntStream.range(0, count).mapToObj((i) -> item(1, "k" + i, i)).toList();
	}

	private static String item(int operation, String key, int number) {
		return switch (operation) {
			case 0 -> "{\"op\":\"put\",\"id\":\"%s\",\"text\":\"v%d\"}".formatted(key, number);
			case 1 -> "{\"op\":\"get\",\"id\":\"%s\"}".formatted(key);
			default -> "{\"op\":\"delete\",\"id\":\"%s\"}".formatted(key);
		};
	}

	private static String described(String item) {
		return item.replaceFirst("^\\{\"op\":\"(\\w+)\",\"id\":\"(\\w+)\".*", "$1 $2");
	}

	private static Map<String, List<String>> byKey(List<String> described) {
		return new HashMap<>(described.stream().collect(Collectors.groupingBy((item) -> item.replaceFirst(".* ", ""))));
	}

	private static Value value(int sizeBytes) {
		return Value.wrap(new byte[sizeBytes]);
	}

	/** A batch and its client. */
	private final class Run implements AutoCloseable {

		final Batch batch;

		final int bodyBytes;

		private final Admission.Permit permit;

		private final List<Disposable> pulls = new ArrayList<>();

		private boolean isPulling;

		Run(List<String> items) {
			this(items, MOST_KEPT);
		}

		Run(List<String> items, int mostKept) {
			byte[] body = String.join("\n", items).getBytes(UTF_8);
			this.bodyBytes = body.length;
			this.permit = BatchTests.this.admission.admit(this.bodyBytes);
			BatchLines lines = BatchLines.of(body, items.size());
			Watched watched = Watched.of(Operation.BATCH, BatchTests.this.meters);
			BatchCalls batchCalls = new BatchCalls(
					new AuthorizedCoordinator(BatchTests.this.calls,
							new KeyWaits(BatchTests.this.calls, BatchTests.this.admission, System::nanoTime),
							(_) -> Flux.empty(), new ConditionalProperties(List.of())),
					BatchTests.this.admission,
					new BatchCalls.Terms(new Consistency(2, 3), BatchTests.this.deadline, TestAccess.open().caller()),
					watched.metrics(), BatchTests::problem);
			this.batch = new Batch(new BatchItemReader(lines, Runnable::run, TimeSource.SYSTEM), batchCalls,
					new BatchObservation(watched.request(), lines.count(), watched.metrics(), watched.slow()),
					BatchTests.this.loop, new BatchRoom(this.permit, this.bodyBytes, mostKept));
		}

		/** Wants the next page, if it does not wait for one already. */
		void pull() {
			if (!this.isPulling && !this.batch.isOver()) {
				this.isPulling = true;
				this.pulls.add(this.batch.nextPage().subscribe((page) -> {
					this.isPulling = false;
					BatchTests.this.answers.addAll(page);
				}));
			}
		}

		void pullAll() {
			while (!this.batch.isOver()) {
				pull();
				assertThat(this.isPulling).as("there is nothing to be pulled").isFalse();
			}
		}

		@Override
		public void close() {
			this.pulls.forEach(Disposable::dispose);
			this.batch.close();
			this.permit.close();
		}

	}

	private static Problem problem(Throwable error) {
		return switch (error) {
			case ProblemException ours -> ours.problem();
			case RefusedException _ -> Problem.of(ProblemType.OVERLOADED, "");
			default -> Problem.of(ProblemType.INTERNAL_ERROR, "");
		};
	}

}
