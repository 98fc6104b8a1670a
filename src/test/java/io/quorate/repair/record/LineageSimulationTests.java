package io.quorate.repair.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

import io.quorate.Lane;
import io.quorate.internode.Position;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node whose directory is put back to older copies at random times, runs on unaware for
 * a while, and meets peers that are put back themselves. A peer that has heard of data
 * which is gone must show a loss, and none may that has seen this very history. One node
 * is met as a candidate first, and records what it hears as only programs of before do;
 * it joins later, and leaves again.
 */
class LineageSimulationTests {

	private static final UUID OURS = new UUID(1, 1);

	private static final int RUNS = Lane.seeds(50, 150, 5000);

	private static final int STEPS = 120;

	private static final String GUEST = "n5";

	@TempDir
	private Path home;

	/*
	 * Put back to a copy, rebuilt, and then put to a later copy of the history before,
	 * which was rebuilt, too.
	 */
	@Test
	void aLossOfWhatABranchHadSettledShows() throws IOException {
		assertThat(new Run(2384068258828290219L, this.home, false).run()).isPositive();
	}

	/* It has seen a generation that all members have passed since. */
	@Test
	void aCandidateThatWasAwayShowsNoLossWhenItJoins() throws IOException {
		assertThat(new Run(-2293779350389138904L, this.home, true).run()).isZero();
	}

	@Test
	void aLossShowsIfThereIsOne() throws IOException {
		long first = new Random().nextLong();
		int found = 0;
		for (int run = 0; run < RUNS; run++) {
			long seed = first + run;
			Path directory = Files.createDirectory(this.home.resolve("run-" + run));
			try {
				found += new Run(seed, directory, true).run();
			}
			catch (AssertionError | RuntimeException failure) {
				throw new AssertionError("seed " + seed, failure);
			}
		}
		assertThat(found).as("losses in all runs, seed %d", first).isGreaterThan(RUNS);
	}

	/**
	 * The position that a peer remembers, and the entries that there really were.
	 *
	 * @param entries entries that were durable then
	 */
	private record Memory(Position position, Set<Long> entries) {

		static final Memory NOTHING = new Memory(Position.NONE, Set.of());

	}

	/** A copy of the directory. */
	private record Copy(Path lineage, List<Long> entries, Set<Long> tokens, long sequence) {
	}

	/** A peer: what it remembers now, and what it remembered at some earlier times. */
	private static final class Peer {

		private Memory memory = Memory.NOTHING;

		private final List<Memory> saved = new ArrayList<>();

		private boolean connected;

		private void hear(Position position, Set<Long> entries) {
			Position latest = this.memory.position().upTo(position);
			this.memory = latest.equals(this.memory.position()) ? this.memory : new Memory(latest, entries);
		}

	}

	private static final class Run {

		private final Random random;

		private final Path directory;

		private final int cases;

		private final Map<String, Peer> peers = new TreeMap<>(
				Map.of("n2", new Peer(), "n3", new Peer(), "n4", new Peer()));

		private final Set<String> members = new HashSet<>(Set.of("n2", "n3", "n4"));

		private final List<Copy> copies = new ArrayList<>();

		/*
		 * Each with a name of its own; a sequence is a position in it, plus what was
		 * passed.
		 */
		private List<Long> entries = new ArrayList<>();

		private long sequence;

		/* Of all generations of this history, those that were made good included. */
		private Set<Long> tokens = new HashSet<>();

		private long nextName;

		private long nanos;

		/* Goes on whatever is put back. */
		private long millis;

		private Lineage lineage;

		private int losses;

		private Run(long seed, Path directory, boolean hasGuest) {
			this.random = new Random(seed);
			this.cases = hasGuest ? 15 : 14;
			if (hasGuest) {
				this.peers.put(GUEST, new Peer());
			}
			this.directory = directory;
			this.lineage = start();
		}

		private Lineage start() {
			this.peers.values().forEach((peer) -> peer.connected = false);
			Lineage opened = Lineage.open(this.directory, OURS, this.members,
					new Lineage.Sources(() -> this.sequence, () -> this.nanos, () -> this.millis, this.random));
			this.tokens.add(opened.position().token());
			return opened;
		}

		private int run() throws IOException {
			for (int step = 0; step < STEPS; step++) {
				this.millis++;
				List<String> names = List.copyOf(this.peers.keySet());
				String name = names.get(this.random.nextInt(names.size()));
				Peer peer = Objects.requireNonNull(this.peers.get(name));
				switch (this.random.nextInt(this.cases)) {
					case 0, 1, 2, 3 -> write(1 + this.random.nextInt(5));
					case 4, 5 -> meet(name, peer);
					case 6, 7, 8 -> sign(name, peer);
					case 9 -> this.nanos += Lineage.AGE.toNanos() / 2;
					case 10 -> {
						this.lineage.advance();
						this.tokens.add(this.lineage.position().token());
					}
					case 11 -> this.copies.add(copy());
					case 12 -> putBackOrRestart();
					case 13 -> disturb(peer);
					default -> joinOrLeave();
				}
			}
			for (Map.Entry<String, Peer> peer : this.peers.entrySet()) {
				meet(peer.getKey(), peer.getValue());
			}
			return this.losses;
		}

		private void write(int count) {
			for (int i = 0; i < count; i++) {
				this.entries.add(this.nextName++);
				this.sequence++;
			}
		}

		private Copy copy() throws IOException {
			Path file = this.directory.resolve("copy-" + this.copies.size());
			Files.copy(this.directory.resolve(Lineage.FILE_NAME), file);
			return new Copy(file, List.copyOf(this.entries), Set.copyOf(this.tokens), this.sequence);
		}

		private void putBackOrRestart() throws IOException {
			if (!this.copies.isEmpty() && this.random.nextBoolean()) {
				Copy older = this.copies.get(this.random.nextInt(this.copies.size()));
				Files.copy(older.lineage(), this.directory.resolve(Lineage.FILE_NAME),
						StandardCopyOption.REPLACE_EXISTING);
				this.entries = new ArrayList<>(older.entries());
				this.tokens = new HashSet<>(older.tokens());
				this.sequence = older.sequence();
			}
			this.lineage = start();
		}

		/*
		 * It comes with an empty directory each time, and may have heard as a candidate.
		 */
		private void joinOrLeave() throws IOException {
			if (this.random.nextInt(4) > 0) {
				return;
			}
			if (this.members.add(GUEST)) {
				this.lineage.follow(GUEST);
				meet(GUEST, Objects.requireNonNull(this.peers.get(GUEST)));
			}
			else {
				this.members.remove(GUEST);
				this.lineage.forget(GUEST);
				this.peers.put(GUEST, new Peer());
			}
		}

		/* It writes down what it remembers, or is put back to what it had written. */
		private void disturb(Peer peer) {
			switch (this.random.nextInt(6)) {
				case 0 -> peer.connected = false;
				case 1 -> {
					peer.connected = false;
					if (!peer.saved.isEmpty()) {
						int to = this.random.nextInt(peer.saved.size());
						peer.memory = peer.saved.get(to);
						peer.saved.subList(to, peer.saved.size()).clear();
					}
				}
				default -> peer.saved.add(peer.memory);
			}
		}

		private void meet(String name, Peer peer) throws IOException {
			if (this.members.contains(name)) {
				judge(name, peer);
			}
			peer.connected = true;
		}

		private void judge(String name, Peer peer) throws IOException {
			Position seen = peer.memory.position();
			boolean isOfAnother = seen.generation() != 0 && !this.tokens.contains(seen.token());
			boolean isLost = !new HashSet<>(this.entries).containsAll(peer.memory.entries());
			String loss = this.lineage.loss(name, seen);
			// A sequence alone does not tell one history from another.
			boolean isToShow = (seen.generation() != 0) ? isOfAnother || isLost : seen.sequence() > this.sequence;
			assertThat(loss != null).as("%s remembers %s: %s", name, seen, loss).isEqualTo(isToShow);
			if (loss != null) {
				this.losses++;
				rebuild();
			}
		}

		/* Copies what anybody has ever heard of, which is what the peers hold. */
		private void rebuild() throws IOException {
			Set<Long> all = new HashSet<>(this.entries);
			long remembered = 0;
			for (Peer peer : this.peers.values()) {
				List<Memory> memories = new ArrayList<>(peer.saved);
				memories.add(peer.memory);
				for (Memory memory : memories) {
					all.addAll(memory.entries());
					this.tokens.add(memory.position().token());
					remembered = Math.max(remembered, memory.position().generation());
					this.sequence = Math.max(this.sequence, memory.position().sequence());
				}
			}
			this.entries = new ArrayList<>(all);
			this.sequence += all.size();
			this.lineage.settle(remembered);
			this.tokens.add(this.lineage.position().token());
		}

		private void sign(String name, Peer peer) {
			if (peer.connected) {
				peer.hear(this.lineage.position(name), Set.copyOf(this.entries));
				this.lineage.recalled(name, peer.memory.position().generation());
			}
		}

	}

}
