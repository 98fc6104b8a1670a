package io.quorate.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class WatchIndexTests {

	private static final int KEYS = 100;

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void theWatchesOfAKeyAreFoundAndNoOthers(long seed) {
		Random random = new Random(seed);
		WatchIndex index = new WatchIndex();
		List<Watching> all = new ArrayList<>();
		for (int step = 0; step < 2000; step++) {
			if (random.nextInt(5) > 2 && !all.isEmpty()) {
				Watching gone = all.remove(random.nextInt(all.size()));
				index.remove(gone);
				index.remove(gone);
			}
			else {
				int start = random.nextInt(KEYS);
				Key end = (random.nextInt(20) == 0) ? null
						: key(start + random.nextInt(KEYS) / (1 + random.nextInt(KEYS)));
				Watching watch = new Watching(ScanRange.ascending(key(start), end));
				index.add(watch);
				all.add(watch);
			}
			Key key = key(random.nextInt(KEYS));
			assertThat(index.of(key)).as("seed %d, step %d", seed, step)
				.containsExactlyInAnyOrderElementsOf(all.stream().filter((watch) -> watch.covers(key)).toList());
			assertThat(index.isEmpty()).isEqualTo(all.isEmpty());
		}
	}

	@Test
	void aSearchLooksAtFewWatchesOfOtherKeys() {
		WatchIndex index = new WatchIndex();
		List<Watching> all = new ArrayList<>();
		for (int i = 0; i < 4096; i++) {
			all.add(new Watching(ScanRange.only(key(i))));
			index.add(all.getLast());
		}
		assertThat(index.of(key(1000))).containsExactly(all.get(1000));
		int before = looks(all);
		assertThat(index.of(key(3000))).containsExactly(all.get(3000));
		assertThat(looks(all) - before).isLessThan(50);
	}

	private static int looks(List<Watching> all) {
		return all.stream().mapToInt((watch) -> watch.looks).sum();
	}

	private static Key key(int number) {
		return Key.of("k%04d".formatted(number));
	}

}
