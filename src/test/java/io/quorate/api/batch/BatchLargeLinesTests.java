package io.quorate.api.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
import io.quorate.security.access.TestAccess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** Lines that are more work than an event loop does in a turn. */
class BatchLargeLinesTests {

	private static final String LARGE = "x".repeat(BatchItemReader.LARGE_BYTES + 1);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final OpenCalls calls = new OpenCalls();

	private final HeldLoop loop = new HeldLoop();

	private final HeldLoop apart = new HeldLoop();

	private final List<BatchAnswer> answers = new ArrayList<>();

	@Test
	void aRequestBesideABatchWaitsForFewerLinesIfTheyAreLong() {
		this.loop.hold();
		List<String> items = IntStream.range(0, 20).mapToObj((i) -> put(i, LARGE.substring(0, 40_000))).toList();
		try (Batch batch = begin(items, Duration.ofMinutes(1))) {
			pull(batch);
			this.loop.turn();
			assertThat(this.calls.all).as("begun before the turn of another request").hasSize(2);
		}
		this.loop.runOn();
		answerAll();
	}

	@Test
	void aLargeLineIsReadApartWhileOthersGoOn() {
		this.apart.hold();
		List<String> items = List.of(put(0, "v"), put(1, LARGE), put(2, LARGE), put(3, "v"));
		try (Batch batch = begin(items, Duration.ofMinutes(1))) {
			pull(batch);
			answerAll();
			assertThat(this.answers).as("the one before").hasSize(1);
			pull(batch);
			assertThat(this.calls.all).as("lines are taken in their order").hasSize(1);
			this.apart.turn();
			assertThat(this.calls.all).as("its value is not copied yet").hasSize(1);
			this.apart.turn();
			assertThat(this.calls.all).extracting(Call::toString)
				.as("the next one is read meanwhile")
				.containsExactly("put k0", "put k1", "put k3");
			this.apart.turn();
			assertThat(this.calls.all).extracting(Call::toString)
				.containsExactly("put k0", "put k1", "put k3", "put k2");
			answerAll();
			pull(batch);
			assertThat(this.answers).extracting(BatchAnswer::status).containsExactly(201, 201, 201, 201);
		}
	}

	@Test
	void aLargeLineThatIsNoItemIsRefusedLikeAnyOther() {
		try (Batch batch = begin(List.of("{\"x\":\"" + LARGE, put(0, "v")), Duration.ofMinutes(1))) {
			pull(batch);
			answerAll();
			pull(batch);
			assertThat(this.answers).extracting(BatchAnswer::status).containsExactly(400, 201);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void aLargeValueIsNotCopiedForAClientThatIsGone(int turns) {
		this.apart.hold();
		Batch left = begin(List.of(put(0, LARGE)), Duration.ofMinutes(1));
		pull(left);
		for (int i = 0; i < turns; i++) {
			this.apart.turn();
		}
		left.close();
		this.apart.runOn();
		assertThat(this.calls.all).isEmpty();
	}

	@Test
	void aLargeValueThatBreaksTheBatchBreaksItForTheClient() {
		this.calls.fault = new StackOverflowError("planted");
		try (Batch batch = begin(List.of(put(0, LARGE)), Duration.ofMinutes(1))) {
			StepVerifier.create(batch.nextPage()).verifyErrorMessage("planted");
		}
	}

	@Test
	void aLargeLineThatIsTooLateIsOfNoOperation() {
		this.apart.hold();
		try (Batch late = begin(List.of("{\"op\":\"get\",\"id\":\"k\"}", put(1, LARGE)), Duration.ZERO)) {
			pull(late);
			this.apart.turn();
			pull(late);
			assertThat(this.answers).extracting(BatchAnswer::status).containsExactly(503, 503);
			assertThat(items("get")).isEqualTo(1);
			assertThat(items("invalid")).isEqualTo(1);
		}
	}

	private double items(String operation) {
		return this.meters.get("quorate.batch.items").tags("op", operation, "status", "503").counter().count();
	}

	@Test
	void aLargeLineIsNotReadForAClientThatIsTooLate() {
		this.apart.hold();
		try (Batch late = begin(List.of(put(0, LARGE) + "no item"), Duration.ZERO)) {
			pull(late);
			this.apart.turn();
			assertThat(this.answers).extracting(BatchAnswer::status).as("not looked at").containsExactly(503);
		}
	}

	private Batch begin(List<String> items, Duration time) {
		Admission admission = new Admission(1000, 10_000_000, this.meters);
		byte[] body = String.join("\n", items).getBytes(UTF_8);
		BatchLines lines = BatchLines.of(body, items.size());
		Watched watched = Watched.of(Operation.BATCH, this.meters);
		BatchCalls.Terms terms = new BatchCalls.Terms(new Consistency(2, 3), Deadline.after(time),
				TestAccess.open().caller());
		BatchCalls batchCalls = new BatchCalls(
				new AuthorizedCoordinator(this.calls, new KeyWaits(this.calls, admission, System::nanoTime),
						(_) -> Flux.empty(), new ConditionalProperties(List.of())),
				admission, terms, watched.metrics(), BatchLargeLinesTests::problem);
		return new Batch(new BatchItemReader(lines, this.apart, TimeSource.SYSTEM), batchCalls,
				new BatchObservation(watched.request(), lines.count(), watched.metrics(), watched.slow()), this.loop,
				new BatchRoom(admission.admit(body.length), body.length, 1000));
	}

	private static Problem problem(Throwable error) {
		return (error instanceof ProblemException wrong) ? wrong.problem()
				: Problem.of(ProblemType.OVERLOADED, String.valueOf(error.getMessage()));
	}

	private void pull(Batch batch) {
		batch.nextPage().subscribe(this.answers::addAll);
	}

	private void answerAll() {
		while (!this.calls.open.isEmpty()) {
			this.calls.open.getFirst().answer();
		}
	}

	private static String put(int number, String text) {
		return "{\"op\":\"put\",\"id\":\"k%d\",\"text\":\"%s\"}".formatted(number, text);
	}

}
