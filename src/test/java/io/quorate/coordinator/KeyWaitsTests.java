package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;

/** Clients that wait for a key, with time and reads driven by hand. */
class KeyWaitsTests {

	private static final Key KEY = Key.of("key");

	private static final Duration MOST = Duration.ofSeconds(30);

	private final Admission admission = new Admission(10, 1000, new SimpleMeterRegistry());

	private final AtomicLong nanos = new AtomicLong();

	private final KeyWaits waits = new KeyWaits(this::read, this.admission, this.nanos::get);

	/* Reads that have begun. */
	private final Deque<Read> reads = new ArrayDeque<>();

	private record Read(Key key, boolean isLinearizable, RequestContext context, Sinks.One<ReadOutcome> outcome) {

		private void is(ReadOutcome found) {
			this.outcome.tryEmitValue(found).orThrow();
		}

	}

	private Mono<ReadOutcome> read(Key key, boolean isLinearizable, RequestContext context) {
		Read read = new Read(key, isLinearizable, context, Sinks.unsafe().one());
		this.reads.add(read);
		return read.outcome.asMono();
	}

	private Read next() {
		return this.reads.remove();
	}

	@AfterEach
	void nothingIsHeld() {
		assertThat(this.reads).as("reads that the test did not expect").isEmpty();
		assertThat(this.waits.waiting()).isZero();
		assertThat(this.admission.requests()).isZero();
	}

	/** A client that waits for another version than one. */
	private final class Client {

		private final List<ReadOutcome> told = new ArrayList<>();

		private final List<Throwable> failed = new ArrayList<>();

		private final Disposable wait;

		private Client(@Nullable ReadOutcome has, Consistency consistency, boolean isLinearizable, String principal) {
			this.wait = KeyWaitsTests.this.waits
				.until(KEY,
						new KeyWaits.Terms(consistency, isLinearizable, (outcome) -> !outcome.equals(has), MOST,
								Duration.ofSeconds(5), principal))
				.subscribe(this.told::add, this.failed::add);
		}

	}

	private Client client(@Nullable ReadOutcome has) {
		return new Client(has, Consistency.DEFAULT, false, "anna");
	}

	private static ReadOutcome version(long millis) {
		return new ReadOutcome.Found(
				new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.copyOf(new byte[1])));
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
		this.waits.tick();
	}

	@Test
	void anotherVersionThatIsThereAlreadyIsToldAtOnce() {
		Client client = client(version(1));
		next().is(version(2));
		assertThat(client.told).containsExactly(version(2));
	}

	@Test
	void oneReadAfterEachWriteServesAll() {
		List<Client> clients = new ArrayList<>(IntStream.range(0, 3).mapToObj((_) -> client(version(1))).toList());
		next().is(version(1));
		next().is(version(1));
		assertThat(this.reads).isEmpty();
		Client other = client(version(2));
		next().is(version(1));
		assertThat(other.told).containsExactly(version(1));
		this.waits.stored(Key.of("another"));
		assertThat(this.reads).isEmpty();
		this.waits.stored(KEY);
		next().is(version(2));
		assertThat(clients).allSatisfy((client) -> assertThat(client.told).containsExactly(version(2)));
	}

	@Test
	void aWriteWhileAReadIsUnderWayIsReadAfterIt() {
		Client client = client(version(1));
		this.waits.stored(KEY);
		this.waits.stored(KEY);
		next().is(version(1));
		assertThat(client.told).isEmpty();
		next().is(version(2));
		assertThat(client.told).containsExactly(version(2));
	}

	@Test
	void anOutcomeOfAReadThatBeganBeforeIsNotForALaterClient() {
		Client first = client(version(1));
		Client later = client(version(1));
		next().is(version(2));
		assertThat(first.told).containsExactly(version(2));
		assertThat(later.told).isEmpty();
		next().is(version(3));
		assertThat(later.told).containsExactly(version(3));
	}

	@Test
	void aWriteThatThisNodeHasMissedIsFoundAllTheSame() {
		Client client = client(version(1));
		next().is(version(1));
		pass(Duration.ofMillis(1999));
		assertThat(this.reads).isEmpty();
		pass(Duration.ofMillis(1));
		next().is(version(2));
		assertThat(client.told).containsExactly(version(2));
	}

	@Test
	void aWaitEndsWithARead() {
		Client client = client(version(1));
		next().is(version(1));
		pass(MOST.multipliedBy(89).dividedBy(100));
		next().is(version(1));
		assertThat(client.told).isEmpty();
		pass(MOST.multipliedBy(11).dividedBy(100));
		assertThat(client.told).as("only by a read").isEmpty();
		next().is(version(1));
		assertThat(client.told).containsExactly(version(1));
	}

	@Test
	void aReadThatFailsEndsAWaitOnlyWhenItsTimeIsOver() {
		Client client = client(version(1));
		next().outcome.tryEmitError(new IllegalStateException("first")).orThrow();
		assertThat(client.failed).isEmpty();
		pass(MOST);
		next().outcome.tryEmitError(new IllegalStateException("last")).orThrow();
		assertThat(client.failed).singleElement().satisfies((failure) -> assertThat(failure).hasMessage("last"));
	}

	@Test
	void aClientThatHasGoneIsForgotten() {
		Client client = client(version(1));
		next().is(version(1));
		client.wait.dispose();
		this.waits.stored(KEY);
		pass(MOST);
	}

	@Test
	void aClientThatGoesWhileTheKeyIsReadIsForgotten() {
		Client client = client(version(1));
		client.wait.dispose();
		next().is(version(2));
		assertThat(client.told).isEmpty();
	}

	@Test
	void aReadIsOnTheStrictestTerms() {
		Client one = new Client(version(1), new Consistency(2, 3), true, "anna");
		next().is(version(1));
		Client other = new Client(version(1), new Consistency(3, 3), false, "ben");
		Read both = next();
		assertThat(both.isLinearizable).isTrue();
		assertThat(both.context.consistency()).isEqualTo(new Consistency(3, 3));
		both.is(version(2));
		assertThat(one.told).isEqualTo(other.told).containsExactly(version(2));
	}

	@Test
	void aStopEndsAllWaits() {
		Client client = client(version(1));
		next().is(version(1));
		this.waits.readinessChanged(new AvailabilityChangeEvent<>(this, ReadinessState.REFUSING_TRAFFIC));
		next().is(version(1));
		assertThat(client.told).containsExactly(version(1));
		Client late = client(version(1));
		next().is(version(1));
		assertThat(late.told).containsExactly(version(1));
	}

	@Test
	void onePrincipalTakesHalfOfThePlaces() {
		List<Client> clients = new ArrayList<>();
		for (String principal : List.of("anna", "ben")) {
			for (int i = 0; i < KeyWaits.MOST / 2; i++) {
				clients.add(new Client(version(1), Consistency.DEFAULT, false, principal));
			}
			Client beyond = new Client(version(1), Consistency.DEFAULT, false, principal);
			assertThat(beyond.failed).singleElement()
				.isInstanceOfSatisfying(RefusedException.class,
						(refused) -> assertThat(refused.why()).isEqualTo(Why.REQUESTS));
		}
		assertThat(new Client(version(1), Consistency.DEFAULT, false, "carl").failed).hasSize(1);
		next().is(version(1));
		next().is(version(2));
		assertThat(clients).allSatisfy((client) -> assertThat(client.told).isNotEmpty());
		assertThat(client(version(1)).failed).isEmpty();
		next().is(version(2));
	}

	@Test
	void aReadThatIsNotAdmittedIsTriedAgain() {
		List<Admission.Permit> all = IntStream.range(0, 10).mapToObj((_) -> this.admission.admit(0)).toList();
		Client client = client(version(1));
		all.forEach(Admission.Permit::close);
		pass(Duration.ofSeconds(2));
		next().is(version(2));
		assertThat(client.told).containsExactly(version(2));
	}

}
