package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Duration TICK = Duration.ofMillis(100);

	private static final int PLACES = 16;

	private final Admission admission = new Admission(PLACES, 1000, new SimpleMeterRegistry());

	private final AtomicLong nanos = new AtomicLong();

	private final KeyWaits waits = new KeyWaits(this::read, this.admission, this.nanos::get, Runnable::run);

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

	private Read next(int ack, boolean isLinearizable) {
		Read next = this.reads.stream()
			.filter((read) -> read.context.consistency().ack() == ack && read.isLinearizable == isLinearizable)
			.findFirst()
			.orElseThrow();
		this.reads.remove(next);
		return next;
	}

	@AfterEach
	void nothingIsHeld() {
		assertThat(this.reads).as("reads that the test did not expect").isEmpty();
		assertThat(this.waits.waiting()).isZero();
		assertThat(this.admission.requests()).isZero();
	}

	/** A client that waits for another version than one. */
	private static final class Client {

		private final List<ReadOutcome> told = new ArrayList<>();

		private final List<Throwable> failed = new ArrayList<>();

		private final Disposable wait;

		private Client(KeyWaits waits, Key key, KeyWaits.Terms terms) {
			this.wait = waits.until(key, terms).subscribe(this.told::add, this.failed::add);
		}

	}

	private static KeyWaits.Terms terms(@Nullable ReadOutcome has, int ack, boolean isLinearizable, Duration timeout,
			String principal) {
		return new KeyWaits.Terms(new Consistency(ack, Consistency.ALL), isLinearizable,
				(outcome) -> !outcome.equals(has), MOST, timeout, principal);
	}

	private static KeyWaits.Terms terms(@Nullable ReadOutcome has) {
		return terms(has, Consistency.MAJORITY, false, TIMEOUT, "anna");
	}

	private Client client(KeyWaits.Terms terms) {
		return new Client(this.waits, KEY, terms);
	}

	private Client client(@Nullable ReadOutcome has) {
		return client(terms(has));
	}

	/* One for each of many keys. */
	private static List<Client> clients(KeyWaits waits, int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> new Client(waits, Key.of("key" + i), terms(version(1))))
			.toList();
	}

	private void readVersion(ReadOutcome is) {
		for (int i = this.reads.size(); i > 0; i--) {
			next().is(is);
		}
	}

	private void leave(List<Client> clients) {
		clients.forEach((client) -> client.wait.dispose());
	}

	private List<Admission.Permit> all() {
		return IntStream.range(0, PLACES).mapToObj((_) -> this.admission.admit(0)).toList();
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
		pass(Duration.ofMillis(1799));
		assertThat(this.reads).isEmpty();
		pass(Duration.ofMillis(201));
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
	void theTermsOfAClientAreForItAlone() {
		Client strict = client(terms(version(1), 3, false, TIMEOUT, "anna"));
		Client linearizable = client(terms(version(1), Consistency.MAJORITY, true, TIMEOUT, "anna"));
		Client other = client(version(1));
		readVersion(version(1));
		this.waits.stored(KEY);
		next(3, false).outcome.tryEmitError(new IllegalStateException("two of three")).orThrow();
		next(Consistency.MAJORITY, true).outcome.tryEmitError(new IllegalStateException("no clock")).orThrow();
		next(Consistency.MAJORITY, false).is(version(2));
		assertThat(other.told).containsExactly(version(2));
		assertThat(strict.told).isEmpty();
		assertThat(linearizable.told).isEmpty();
		leave(List.of(strict, linearizable));
	}

	@Test
	void aWaitEndsInItsTimeWhateverOthersAllow() {
		Client patient = client(terms(version(1), Consistency.MAJORITY, false, Duration.ofSeconds(30), "anna"));
		Client other = client(version(1));
		pass(MOST);
		pass(TIMEOUT.minus(TICK));
		assertThat(other.failed).isEmpty();
		pass(TICK);
		assertThat(other.failed).singleElement().isInstanceOf(QuorumNotReachedException.class);
		next().is(version(1));
		assertThat(patient.told).containsExactly(version(1));
	}

	@Test
	void theThreadThatStoresAnEntryReadsNothing() {
		Deque<Runnable> turns = new ArrayDeque<>();
		KeyWaits handing = new KeyWaits(this::read, this.admission, this.nanos::get, turns::add);
		Client client = new Client(handing, KEY, terms(version(1)));
		turns.remove().run();
		next().is(version(1));
		turns.remove().run();
		handing.stored(KEY);
		handing.stored(KEY);
		assertThat(this.reads).isEmpty();
		assertThat(turns).as("one for both").hasSize(1);
		turns.remove().run();
		handing.stored(KEY);
		assertThat(turns).hasSize(1);
		next().is(version(2));
		while (!turns.isEmpty()) {
			turns.remove().run();
		}
		assertThat(client.told).containsExactly(version(2));
		assertThat(handing.waiting()).isZero();
	}

	@Test
	void aThreadOfItsOwnReadsAndTicks() throws Exception {
		Set<String> threads = ConcurrentHashMap.newKeySet();
		try (KeyWaits ticking = KeyWaits.ticking((_, _, _) -> {
			threads.add(Thread.currentThread().getName());
			return Mono.just(version(1));
		}, this.admission)) {
			KeyWaits.Terms shortly = new KeyWaits.Terms(Consistency.DEFAULT, false, (_) -> false, Duration.ofMillis(1),
					TIMEOUT, "anna");
			assertThat(ticking.until(KEY, shortly).toFuture().get(1, TimeUnit.MINUTES)).isEqualTo(version(1));
		}
		assertThat(threads).containsExactly("coordinator-waits");
	}

	@Test
	void noClientWaitsWhenTheThreadHasEnded() {
		KeyWaits closed = KeyWaits.ticking((_, _, _) -> Mono.never(), this.admission);
		closed.close();
		assertThat(new Client(closed, KEY, terms(null)).failed).singleElement().isInstanceOf(RefusedException.class);
	}

	@Test
	void readsThatCompleteAtOnceFollowOneAnother() {
		AtomicInteger left = new AtomicInteger(20_000);
		AtomicInteger most = new AtomicInteger();
		AtomicReference<KeyWaits> itself = new AtomicReference<>();
		itself.set(new KeyWaits((key, _, _) -> {
			most.accumulateAndGet(this.admission.requests(), Math::max);
			if (left.decrementAndGet() > 0) {
				itself.get().stored(key);
			}
			return Mono.just(version(1));
		}, this.admission, this.nanos::get, Runnable::run));
		Client client = new Client(itself.get(), KEY, terms(version(1)));
		assertThat(left).hasValue(0);
		assertThat(most).as("permits at once").hasValue(1);
		leave(List.of(client));
	}

	@Test
	void readsTakeAQuarterOfThePlaces() {
		List<Client> clients = clients(this.waits, 6);
		assertThat(this.admission.requests()).isEqualTo(PLACES / 4);
		readVersion(version(1));
		pass(TICK);
		assertThat(this.admission.requests()).isEqualTo(2);
		readVersion(version(2));
		assertThat(clients.stream().filter((client) -> !client.told.isEmpty())).hasSize(2);
		leave(clients);
	}

	@Test
	void readsThatCameTogetherDoNotComeTogetherAgain() {
		KeyWaits many = new KeyWaits(this::read, new Admission(1000, 1000, new SimpleMeterRegistry()), this.nanos::get,
				Runnable::run);
		List<Client> clients = clients(many, 100);
		readVersion(version(1));
		this.nanos.addAndGet(Duration.ofMillis(1900).toNanos());
		many.tick();
		assertThat(this.reads).hasSizeBetween(1, 99);
		this.nanos.addAndGet(Duration.ofMillis(100).toNanos());
		many.tick();
		assertThat(this.reads).hasSize(100);
		readVersion(version(1));
		leave(clients);
	}

	private void begin(ReadinessState state) {
		this.waits.readinessChanged(new AvailabilityChangeEvent<>(this, state));
	}

	@Test
	void aStopThatFindsNoPlaceForReadsWaitsForOne() {
		Client client = client(version(1));
		next().is(version(1));
		List<Admission.Permit> all = all();
		begin(ReadinessState.REFUSING_TRAFFIC);
		pass(TICK);
		assertThat(client.failed).isEmpty();
		all.forEach(Admission.Permit::close);
		pass(TICK);
		next().is(version(1));
		assertThat(client.told).containsExactly(version(1));
	}

	@Test
	void aWaitWhoseLastReadFindsNoPlaceIsRefused() {
		Client client = client(version(1));
		next().is(version(1));
		List<Admission.Permit> all = all();
		pass(MOST);
		pass(TIMEOUT);
		assertThat(client.failed).singleElement()
			.isInstanceOfSatisfying(RefusedException.class,
					(refused) -> assertThat(refused.why()).isEqualTo(Why.REQUESTS));
		all.forEach(Admission.Permit::close);
	}

	@Test
	void aStopEndsAllWaits() {
		Client client = client(version(1));
		next().is(version(1));
		begin(ReadinessState.REFUSING_TRAFFIC);
		next().is(version(1));
		assertThat(client.told).containsExactly(version(1));
		Client late = client(version(1));
		next().is(version(1));
		assertThat(late.told).containsExactly(version(1));
	}

	private static KeyWaits.Terms of(String principal) {
		return terms(version(1), Consistency.MAJORITY, false, TIMEOUT, principal);
	}

	@Test
	void onePrincipalTakesHalfOfThePlaces() {
		List<Client> clients = new ArrayList<>();
		for (String principal : List.of("anna", "ben")) {
			for (int i = 0; i < KeyWaits.MOST / 2; i++) {
				clients.add(client(of(principal)));
			}
			Client beyond = client(of(principal));
			assertThat(beyond.failed).singleElement()
				.isInstanceOfSatisfying(RefusedException.class,
						(refused) -> assertThat(refused.why()).isEqualTo(Why.REQUESTS));
		}
		assertThat(client(of("carl")).failed).hasSize(1);
		next().is(version(1));
		next().is(version(2));
		assertThat(clients).allSatisfy((client) -> assertThat(client.told).isNotEmpty());
		assertThat(client(version(1)).failed).isEmpty();
		next().is(version(2));
	}

	@Test
	void aReadThatIsNotAdmittedIsTriedAgain() {
		List<Admission.Permit> all = all();
		Client client = client(version(1));
		pass(TICK);
		all.forEach(Admission.Permit::close);
		pass(TICK);
		next().is(version(2));
		assertThat(client.told).containsExactly(version(2));
	}

}
