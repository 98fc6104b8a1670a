package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.RegisterRequest.Settled;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests on the register of a key, of a coordinator at node a. */
abstract class RegisterFixture extends ScriptedCluster {

	static final Value VALUE = Value.copyOf(new byte[] { 1, 2, 3 });

	static final PrepareReply NOTHING_HELD = new PrepareReply.Promised(null);

	/** More than any pause between two rounds. */
	static final Duration PAUSE = Duration.ofSeconds(1);

	RequestServices services() {
		return this.coordinator.readServices().shared();
	}

	RegisterTerms write(Condition condition, RequestContext requestContext) {
		return new RegisterTerms(Operation.PUT, KEY, condition,
				(timestamp, from) -> new Entry.Live(timestamp, from, Entry.NEVER, VALUE), requestContext);
	}

	RegisterTerms write(Condition condition) {
		return write(condition, 2);
	}

	RegisterTerms write(Condition condition, int ack) {
		return write(condition, requestContext(ack, 3, this.admission.admit(3)));
	}

	/** The terms of a request with another deadline. */
	RegisterTerms write(Condition condition, Deadline deadline) {
		return write(condition, new RequestContext(new Consistency(2, 3), deadline, this.admission.admit(3),
				new RequestTimeline(System.nanoTime())));
	}

	Mono<Settled> run(RegisterTerms terms) {
		return this.outcome.of(RegisterRequest.of(services(), terms));
	}

	static Condition match(long millis) {
		return new Condition(Condition.Versions.of(List.of(Timestamp.ofMillis(millis))), null);
	}

	static PrepareReply promised(Entry held) {
		return new PrepareReply.Promised(Summary.of(held));
	}

	static PrepareReply unmet(@Nullable Entry held) {
		return new PrepareReply.Unmet((held != null) ? Summary.of(held) : null, null);
	}

	static PrepareReply unprepared(Reason reason) {
		return new PrepareReply.Failed(new Failure(reason, "as the test wants"));
	}

	Proposal proposal() {
		return this.a.proposals().getLast();
	}

	void promise(PrepareReply reply) {
		this.a.answer(reply);
		this.b.answer(reply);
	}

	void promise(Entry held) {
		promise(promised(held));
	}

	void accept() {
		this.a.answer(APPLIED);
		this.b.answer(APPLIED);
	}

	/** What all replicas were sent last. */
	Entry accepted() {
		assertThat(this.b.applied()).isEqualTo(this.a.applied());
		assertThat(this.c.applied()).isEqualTo(this.a.applied());
		return this.a.applied().getLast();
	}

	static Fate fate(Throwable failure) {
		assertThat(failure).isInstanceOf(QuorumNotReachedException.class);
		return ((QuorumNotReachedException) failure).fate();
	}

	static void requireUnmet(Throwable failure, @Nullable Timestamp current, @Nullable Timestamp absent) {
		assertThat(failure).isInstanceOfSatisfying(ConditionFailedException.class, (unmet) -> {
			assertThat(unmet.current()).isEqualTo(current);
			assertThat(unmet.absent()).isEqualTo(absent);
		});
	}

	/** Lets the pause between two rounds pass. */
	void nextRound() {
		this.time.pass(PAUSE);
	}

}
