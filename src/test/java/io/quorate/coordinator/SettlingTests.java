package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.Promise;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The promises that rounds have left, and which node settles them when. */
class SettlingTests extends ScriptedCluster {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final List<Promise> promises = new ArrayList<>();

	private final List<Promise> dropped = new ArrayList<>();

	private final List<Key> settled = new ArrayList<>();

	private final Map<Key, Runnable> ends = new HashMap<>();

	private Settling at(String node) {
		ClusterView view = new ClusterView(node, this.clusterView.lists(), this.suspects, this.judge, this.trueTime,
				this.clusterView.missed());
		return new Settling(view, () -> this.promises, this.dropped::add, (key, end) -> {
			this.settled.add(key);
			this.ends.put(key, end);
		});
	}

	private void promise(Key key, long millis, long untilNanos) {
		this.promises.removeIf((each) -> each.key().equals(key));
		this.promises.add(new Promise(key, Timestamp.ofMillis(millis), 0, untilNanos));
	}

	@Test
	void aNodeDropsPromisesOfKeysThatItHoldsNoMore() {
		Settling settling = at("d");
		promise(KEY, 1, 100);
		settling.turn(99);
		assertThat(this.dropped).isEmpty();
		settling.turn(100);
		assertThat(this.dropped).extracting(Promise::key).containsExactly(KEY);
		assertThat(this.settled).isEmpty();
	}

	@Test
	void theFirstReplicaSettlesAPromiseOnceItsDeadlineHasPassed() {
		Settling settling = at("a");
		promise(KEY, 1, 100);
		settling.turn(99);
		assertThat(this.settled).isEmpty();
		settling.turn(100);
		assertThat(this.settled).containsExactly(KEY);
	}

	@Test
	void othersWaitForThoseBeforeThemThatAreUp() {
		Settling settling = at("c");
		promise(KEY, 1, 100);
		settling.turn(SECOND);
		settling.turn(5 * SECOND - 1);
		assertThat(this.settled).isEmpty();
		settling.turn(5 * SECOND);
		assertThat(this.settled).as("four seconds after it was seen").containsExactly(KEY);
	}

	@Test
	void aSuspectIsNotWaitedFor() {
		Settling settling = at("c");
		promise(KEY, 1, 100);
		settling.turn(SECOND);
		this.suspects.suspect("a");
		settling.turn(3 * SECOND - 1);
		assertThat(this.settled).isEmpty();
		settling.turn(3 * SECOND);
		assertThat(this.settled).containsExactly(KEY);
	}

	@Test
	void aNewPromiseOfAKeyIsWaitedForAnew() {
		Settling settling = at("b");
		promise(KEY, 1, 100);
		settling.turn(SECOND);
		promise(KEY, 2, 100);
		settling.turn(3 * SECOND);
		assertThat(this.settled).isEmpty();
		settling.turn(5 * SECOND);
		assertThat(this.settled).containsExactly(KEY);
	}

	@Test
	void aPromiseThatHasEndedIsForgotten() {
		Settling settling = at("b");
		promise(KEY, 1, 100);
		settling.turn(SECOND);
		this.promises.clear();
		settling.turn(2 * SECOND);
		promise(KEY, 1, 100);
		settling.turn(3 * SECOND);
		assertThat(this.settled).as("seen again").isEmpty();
		settling.turn(5 * SECOND);
		assertThat(this.settled).containsExactly(KEY);
	}

	@Test
	void aKeyIsSettledOnceAtATimeAndAgainWhileItsPromiseStands() {
		Settling settling = at("a");
		promise(KEY, 1, 100);
		settling.turn(SECOND);
		settling.turn(2 * SECOND);
		assertThat(this.settled).hasSize(1);
		Objects.requireNonNull(this.ends.get(KEY)).run();
		settling.turn(3 * SECOND);
		assertThat(this.settled).hasSize(2);
		Objects.requireNonNull(this.ends.get(KEY)).run();
		this.promises.clear();
		settling.turn(4 * SECOND);
		assertThat(this.settled).hasSize(2);
	}

	@Test
	void aBoundedNumberOfKeysIsSettledAtOnce() {
		Settling settling = at("a");
		for (int i = 0; i <= Settling.MOST; i++) {
			promise(Key.of("key " + i), 1, 100);
		}
		settling.turn(SECOND);
		assertThat(this.settled).hasSize(Settling.MOST).doesNotHaveDuplicates();
		this.promises.removeIf((each) -> this.settled.contains(each.key()));
		settling.turn(2 * SECOND);
		assertThat(this.settled).hasSize(Settling.MOST);
		Objects.requireNonNull(this.ends.get(this.settled.getFirst())).run();
		settling.turn(3 * SECOND);
		assertThat(this.settled).hasSize(Settling.MOST + 1).last().isEqualTo(this.promises.getFirst().key());
	}

	@Test
	void aTickLooksOnceASecond() {
		Settling settling = at("a");
		settling.onTick(SECOND);
		promise(KEY, 1, 100);
		settling.onTick(2 * SECOND - 1);
		assertThat(this.settled).isEmpty();
		settling.onTick(2 * SECOND);
		assertThat(this.settled).containsExactly(KEY);
	}

}
