package io.quorate.repair.move;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import io.quorate.membership.exchange.LayoutProgress;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.members.Layouts;
import io.quorate.repair.antientropy.CopyObserver;
import io.quorate.repair.record.Horizon;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.Store;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class MoveTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final long ENTRIES = 1000;

	private static final Layout JOINT = new Layout(3, List.of(), new RingPair(ring(3), ring(4)), Set.of());

	@TempDir
	private Path directory;

	private final Layouts layouts = new Layouts("n3", JOINT);

	private final GainedKeys gained = new GainedKeys(this.layouts);

	private final Map<String, Long> adopted = new ConcurrentHashMap<>(Map.of("n0", 3L, "n1", 3L, "n2", 3L));

	/* Of the members that have answered a copy: their purge horizons, or failures. */
	private final Map<String, CompletableFuture<Long>> copies = new ConcurrentHashMap<>();

	private final Map<String, CopyObserver> observers = new ConcurrentHashMap<>();

	private final Queue<Moved> moved = new ConcurrentLinkedQueue<>();

	private final Queue<String> asked = new ConcurrentLinkedQueue<>();

	private final Queue<Object> reported = new ConcurrentLinkedQueue<>();

	private Horizon horizon;

	private Move move;

	private static Ring ring(int members) {
		return Ring.of(IntStream.range(0, members).mapToObj((i) -> Member.of("n" + i)).toList(), 3);
	}

	@BeforeEach
	void open() {
		this.horizon = Horizon.open(this.directory, true, 0);
		for (String source : List.of("n0", "n1", "n2")) {
			this.copies.put(source, new CompletableFuture<>());
		}
		this.move = move(this.layouts);
	}

	private Move move(Layouts its) {
		return new Move(its, new LayoutCopy.Sources() {

			@Override
			public boolean hasAdopted(String member, long version) {
				return MoveTests.this.adopted.getOrDefault(member, 0L) >= version;
			}

			@Override
			public long entriesOf(String member) {
				return ENTRIES;
			}

			@Override
			public CompletableFuture<Long> copyFrom(String member, CopyObserver observer) {
				MoveTests.this.observers.put(member, observer);
				MoveTests.this.asked.add(member);
				return copy(member);
			}

		}, this.gained, new Move.Gainer(store(), this.horizon, System::nanoTime), new LayoutProgress() {

			@Override
			public void copied(long version) {
				MoveTests.this.reported.add(version);
			}

			@Override
			public void moved(Moved its) {
				MoveTests.this.moved.add(its);
			}

		});
	}

	@AfterEach
	void stop() {
		this.move.stop();
	}

	/* Only what a copy asks for. */
	private Store store() {
		return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[] { Store.class },
				(_, method, _) -> {
					assertThat(method.getName()).isEqualTo("force");
					this.reported.add("forced");
					return CompletableFuture.completedFuture(null);
				});
	}

	private CompletableFuture<Long> copy(String member) {
		return Objects.requireNonNull(this.copies.get(member));
	}

	private Key gainedKey() {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> Key.of("key-" + i))
			.filter(this.gained::isAwaited)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void aNodeReportsWhenItHasCopiedFromAllSources() {
		Key key = gainedKey();
		assertThat(this.move.turn()).isNotDone();
		copy("n0").complete(7L);
		assertThat(this.move.turn()).isNotDone();
		copy("n1").complete(9L);
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.gained.isAwaited(key)).isTrue();
		assertThat(this.reported).isEmpty();
		copy("n2").complete(8L);
		assertThat(this.move.turn()).isDone();
		assertThat(this.reported).containsExactly("forced", 3L);
		assertThat(this.horizon.overall()).as("the highest of all").isEqualTo(9);
		assertThat(this.gained.isAwaited(key)).isFalse();
		assertThat(this.asked).containsExactly("n0", "n1", "n2");
	}

	@Test
	void aNodeReportsItsProgressWhileItCopies() {
		assertThat(this.move.share()).as("it has not begun").isEqualTo(1);
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.moved).first().isEqualTo(new Moved(3, 0, 0, 0));
		CopyObserver observer = Objects.requireNonNull(this.observers.get("n0"));
		observer.passed((int) ENTRIES / 4);
		observer.received(77);
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.moved).anyMatch((its) -> its.bytes() == 77 && its.share() > 0.1 && its.share() < 0.5);
		assertThat(this.move.share()).isBetween(0.1, 0.5);
		this.copies.values().forEach((copy) -> copy.complete(1L));
		assertThat(this.move.turn()).isDone();
		assertThat(this.reported).contains(3L);
		assertThat(this.moved).contains(new Moved(3, Moved.ALL, 77, 77));
		assertThat(this.move.share()).isEqualTo(1);
	}

	@Test
	void aNodeCopiesAtOnceFromASourceThatHasAdopted() {
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.asked).containsExactly("n0");
		copy("n0").complete(1L);
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.asked).containsExactly("n0", "n1");
	}

	@Test
	void aNodeCopiesFromNoSourceThatHasNotAdopted() {
		this.adopted.put("n1", 2L);
		this.copies.values().forEach((copy) -> copy.complete(1L));
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.asked).containsExactly("n0", "n2");
		assertThat(this.reported).isEmpty();
		this.adopted.put("n1", 3L);
		assertThat(this.move.turn()).isDone();
		assertThat(this.reported).contains(3L);
	}

	@Test
	void aNodeCopiesAgainFromASourceThatHasFailed() {
		this.copies.values().forEach((copy) -> copy.complete(1L));
		this.copies.put("n1", CompletableFuture.failedFuture(new IOException("gone")));
		assertThat(this.move.turn()).isNotDone();
		assertThat(this.move.turn()).as("once, and then there is a pause").isNotDone();
		assertThat(this.asked).containsExactly("n0", "n1", "n2", "n1");
		assertThat(this.reported).isEmpty();
		this.copies.put("n1", CompletableFuture.completedFuture(1L));
		assertThat(this.move.turn()).isDone();
		assertThat(this.reported).contains(3L);
	}

	@Test
	void eachReasonThatHoldsACopyUpIsLogged(CapturedOutput log) {
		this.copies.values().forEach((copy) -> copy.complete(1L));
		for (String reason : List.of("gone", "overloaded")) {
			this.copies.put("n0", CompletableFuture.failedFuture(new IOException(reason)));
			assertThat(this.move.turn()).isNotDone();
			assertThat(log).contains("is held up: n0 cannot be copied now: java.io.IOException: " + reason);
		}
	}

	/* Else the guard of the log would take the next warning for news. */
	@Test
	void aCopyThatFailsOnTheDiskIsBegunAnewWithoutALine(CapturedOutput log) throws IOException {
		this.copies.values().forEach((copy) -> copy.complete(1L));
		FileSystemUtils.deleteRecursively(this.directory);
		for (int i = 0; i < 3; i++) {
			assertThat(this.move.turn()).isNotDone();
		}
		assertThat(log).containsOnlyOnce("this node copies keys from").contains("is held up: ");
	}

	@Test
	void aCopyThatALaterLayoutOvertakesIsCancelled() {
		Layouts changing = mock(Layouts.class);
		given(changing.self()).willReturn("n3");
		AtomicReference<Layout> current = new AtomicReference<>(JOINT);
		given(changing.current()).willAnswer((_) -> current.get());
		this.move = move(changing);
		assertThat(this.move.turn()).isNotDone();
		assertThat(copy("n0")).isNotDone();
		current.set(new Layout(4, List.of(), ring(3)));
		assertThat(this.move.turn()).isNotDone();
		assertThat(copy("n0")).isCancelled();
		assertThat(this.reported).isEmpty();
	}

	@Test
	void itsThreadCopiesUntilTheStop() {
		this.move.start();
		Awaitility.await().atMost(PATIENCE).until(() -> this.asked.contains("n0"));
		copy("n0").complete(1L);
		Awaitility.await().atMost(PATIENCE).until(() -> this.asked.contains("n1"));
		this.move.stop();
		assertThat(this.move.isRunning()).isFalse();
		Awaitility.await().atMost(PATIENCE).until(() -> copy("n1").isCancelled());
	}

	@Test
	void aNodeThatIsRestartedAwaitsItsKeysAgain() {
		assertThat(this.gained.isAwaited(gainedKey())).isTrue();
		GainedKeys others = new GainedKeys(new Layouts("n1", JOINT));
		assertThat(IntStream.range(0, 1000).mapToObj((i) -> Key.of("key-" + i))).noneMatch(others::isAwaited);
		this.gained.reassigns(new Layout(4, List.of(), ring(3)));
		assertThat(IntStream.range(0, 1000).mapToObj((i) -> Key.of("key-" + i))).noneMatch(this.gained::isAwaited);
	}

}
