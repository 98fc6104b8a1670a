package io.quorate.repair.antientropy;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.quorate.clock.Deadline;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.comparison.ComparisonReply;
import io.quorate.replica.comparison.ComparisonReply.Answer;
import io.quorate.replica.comparison.ComparisonReply.Failed;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.thread.ThreadTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The answers of a node to the peers that compare their stores with its own. */
class ComparisonResponderTests {

	private static final Round ROUND = new Round(TestNode.NOW, 0);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final TestNode node = new TestNode("b", ThreadTime.SYSTEM);

	private final PeerComparison questions = this.node.responder().with("a");

	private final CountDownLatch end = new CountDownLatch(1);

	@BeforeEach
	void begin() {
		this.node.own.begin("a", ROUND, this.node.note());
	}

	@AfterEach
	void close() {
		this.end.countDown();
		this.node.close();
	}

	@Test
	void questionsBeyondThoseInWorkAreRefused() throws Exception {
		this.node.onCompleted = this::awaitTheEnd;
		List<CompletableFuture<ComparisonReply<Round>>> inWork = Stream.generate(this::ask)
			.limit(ComparisonResponder.AT_ONCE)
			.toList();
		assertThat(reason(ask())).isEqualTo(Reason.OVERLOADED);
		assertThat(inWork).noneMatch(CompletableFuture::isDone);
		this.end.countDown();
		for (CompletableFuture<ComparisonReply<Round>> question : inWork) {
			assertThat(reply(question)).isEqualTo(new Answer<>(ROUND));
		}
		assertThat(reply(ask())).isEqualTo(new Answer<>(ROUND));
	}

	/* The threads that have answered still do what depends on their answers. */
	@Test
	void aPeerThatHasItsAnswerFindsAPlaceForTheNextQuestion() throws Exception {
		Semaphore answers = new Semaphore(0);
		this.node.onCompleted = answers::acquireUninterruptibly;
		CompletableFuture<ComparisonReply<Round>> third = new CompletableFuture<>();
		CompletableFuture<Void> first = ask().thenAccept((_) -> {
			var _ = ask().thenCompose((_) -> ask()).thenAccept(third::complete);
			answers.release(2);
			third.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
		});
		answers.release();
		assertThat(reply(third)).isEqualTo(new Answer<>(ROUND));
		first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void aQuestionForWhichNoThreadStartsTakesNoPlace() throws Exception {
		AtomicInteger threads = new AtomicInteger();
		ThreadFactory scarce = (work) -> {
			if (threads.getAndIncrement() < 2 * ComparisonResponder.AT_ONCE) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return Thread.ofPlatform().daemon().unstarted(work);
		};
		try (ComparisonResponder responder = new ComparisonResponder(this.node.own, scarce)) {
			for (int i = 0; i < 2 * ComparisonResponder.AT_ONCE; i++) {
				assertThat(((Failed<Round>) reply(ask(responder.with("a")))).failure())
					.isEqualTo(new Failure(Reason.OVERLOADED, "no thread can be started"));
			}
			assertThat(reply(ask(responder.with("a")))).isEqualTo(new Answer<>(ROUND));
		}
	}

	@Test
	void aNodeThatStopsTakesNoQuestions() throws Exception {
		this.node.responder().close();
		assertThat(reason(ask())).isEqualTo(Reason.DRAINING);
	}

	private CompletableFuture<ComparisonReply<Round>> ask() {
		return ask(this.questions);
	}

	private static CompletableFuture<ComparisonReply<Round>> ask(PeerComparison questions) {
		return questions.complete(ROUND, Deadline.after(PATIENCE)).toFuture().thenApply(Objects::requireNonNull);
	}

	private void awaitTheEnd() {
		try {
			assertThat(this.end.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException closed) {
			Thread.currentThread().interrupt();
		}
	}

	private static ComparisonReply<Round> reply(CompletableFuture<ComparisonReply<Round>> question) throws Exception {
		return question.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	private static Reason reason(CompletableFuture<ComparisonReply<Round>> question) throws Exception {
		Failure failure = ((Failed<Round>) reply(question)).failure();
		return failure.reason();
	}

}
