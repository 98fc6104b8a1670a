package io.quorate.api.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import io.quorate.api.problem.ProblemException;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class BatchLinesTests {

	private static final int LINE_BYTES = 1000;

	private static final byte[] BODY = ("x".repeat(LINE_BYTES - 1) + "\n")
		.repeat(3 * BatchLines.BYTES_IN_A_TURN / LINE_BYTES)
		.getBytes(UTF_8);

	private static final int COUNT = BODY.length / LINE_BYTES;

	private final HeldLoop loop = new HeldLoop();

	private final List<BatchLines> found = new ArrayList<>();

	@Test
	void aLargeBodyIsSearchedInSeveralTurns() {
		this.loop.hold();
		BatchLines.of(BODY, COUNT, this.loop).subscribe(this.found::add);
		this.loop.turn();
		assertThat(this.found).as("found before the turn of another request").isEmpty();
		this.loop.turn();
		BatchLines lines = this.found.getFirst();
		assertThat(lines.count()).isEqualTo(COUNT);
		for (int i = 0; i < COUNT; i++) {
			assertThat(lines.from(i)).isEqualTo(i * LINE_BYTES);
			assertThat(lines.to(i)).isEqualTo((i + 1) * LINE_BYTES - 1);
		}
	}

	@Test
	void tooManyLinesAreFoundInALaterTurn() {
		StepVerifier.create(BatchLines.of(BODY, COUNT - 1, this.loop)).verifyError(ProblemException.class);
	}

	@Test
	void aBodyWhoseClientIsGoneIsSearchedNoFurther() {
		Queue<Runnable> turns = new ArrayDeque<>();
		Disposable search = BatchLines.of(BODY, COUNT, turns::add).subscribe(this.found::add);
		search.dispose();
		turns.remove().run();
		assertThat(turns).isEmpty();
		assertThat(this.found).isEmpty();
	}

	@Test
	void aBatchIsToldOfASearchThatFailsInALaterTurn() {
		List<Runnable> turns = new ArrayList<>();
		List<Throwable> failures = new ArrayList<>();
		BatchLines.of(BODY, COUNT, (turn) -> {
			if (!turns.isEmpty()) {
				throw new AssertionError("there is no other turn");
			}
			turns.add(turn);
		}).subscribe(this.found::add, failures::add);
		turns.getFirst().run();
		assertThat(failures).singleElement().asString().contains("there is no other turn");
		assertThat(this.found).isEmpty();
	}

}
