package io.quorate.backup;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import io.quorate.clock.Timestamp;
import io.quorate.membership.agreement.RecordedLayout;
import io.quorate.membership.agreement.RecoveredLayout.Survivor;
import io.quorate.membership.agreement.RecoveredLayout;
import io.quorate.membership.layout.LayoutException;
import io.quorate.repair.record.RestoredRecords;
import io.quorate.repair.record.StoppedRecords;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.restore.StoppedDirectory;

/**
 * The recovery of a cluster whose majority is lost for good, for an operator: has the
 * directory of a member that is left, and does not run, begin with a layout of those
 * members alone, in the next incarnation of the cluster.
 */
public final class Recovery implements AutoCloseable {

	private final StoppedDirectory directory;

	private final StoppedRecords records;

	private final Survivor own;

	private final RecoveredLayout layout;

	private Recovery(StoppedDirectory directory, StoppedRecords records, Survivor own, RecoveredLayout layout) {
		this.directory = directory;
		this.records = records;
		this.own = own;
		this.layout = layout;
	}

	/**
	 * Locks a directory, and computes the layout.
	 * @param others directories of the other members that are left, or copies of their
	 * files {@code NODE} and {@code LAYOUT}
	 * @param members ids of all members that are left
	 * @throws LayoutException when there is no such layout
	 * @throws StorageException or {@link IOException} when a directory cannot be used
	 */
	public static Recovery of(Path directory, List<Path> others, Set<String> members) throws IOException {
		StoppedDirectory stopped = StoppedDirectory.open(directory);
		try {
			StoppedRecords records = StoppedRecords.read(directory);
			if (records.isRebuilding()) {
				throw new StorageStartException(
						"%s is being rebuilt, and lacks some of its data: start it, end its rebuild (POST /actuator/recovery/end-rebuild), and stop it first"
							.formatted(stopped.owner().node()),
						null);
			}
			List<Survivor> survivors = new ArrayList<>();
			survivors.add(survivor(directory, stopped.owner()));
			for (Path other : others) {
				survivors.add(survivor(other, ofOneCluster(stopped.owner(), other)));
			}
			requireAll(members, survivors);
			return new Recovery(stopped, records, survivors.getFirst(), RecoveredLayout.of(survivors));
		}
		catch (IOException | RuntimeException refused) {
			stopped.close();
			throw refused;
		}
	}

	private static Survivor survivor(Path directory, StoppedDirectory.Owner owner) throws IOException {
		RecordedLayout recorded = RecordedLayout.read(directory);
		if (recorded == null) {
			throw new StorageStartException("%s has no file %s".formatted(directory, RecordedLayout.FILE_NAME), null);
		}
		return new Survivor(owner.node(), owner.storageId(), recorded);
	}

	private static StoppedDirectory.Owner ofOneCluster(StoppedDirectory.Owner own, Path other) throws IOException {
		StoppedDirectory.Owner owner = StoppedDirectory.ownerOf(other);
		if (!owner.cluster().equals(own.cluster())) {
			throw new StorageStartException(
					"%s is of another cluster than %s, or has other first members".formatted(other, own.node()), null);
		}
		return owner;
	}

	private static void requireAll(Set<String> members, List<Survivor> survivors) {
		Set<String> shown = new TreeSet<>();
		for (Survivor survivor : survivors) {
			if (!members.contains(survivor.id())) {
				throw new StorageStartException("%s is not among the members that are left, %s".formatted(survivor.id(),
						new TreeSet<>(members)), null);
			}
			if (!shown.add(survivor.id())) {
				throw new StorageStartException("two directories are of %s".formatted(survivor.id()), null);
			}
		}
		Set<String> missing = new TreeSet<>(members);
		missing.removeAll(shown);
		if (!missing.isEmpty()) {
			throw new StorageStartException(
					"the layouts that %s know are needed, too: --with names the directory of each, or a copy of its files NODE and LAYOUT"
						.formatted(missing),
					null);
		}
	}

	/** Whether the directory begins with that layout already. */
	public boolean isDone() {
		return this.own.layout().version().equals(this.layout.layout().version());
	}

	/** Prints the layout, and all that may be lost with the members that are given up. */
	public void explain(PrintStream out) {
		out.println("Found:     " + this.layout.found());
		out.println("Recovered: " + this.layout.layout());
		if (this.layout.isFound()) {
			out.println(isDone() ? "This directory has that layout already."
					: "Another member that is left has that layout already: this directory takes it over.");
			return;
		}
		out.println("Given up:  " + (this.layout.givenUp().isEmpty() ? "no member, but directories"
				: String.join(", ", this.layout.givenUp())));
		out.println();
		this.layout.givenUp().forEach((id) -> out.println("- " + compared(id)));
		out.println("- Writes since then that only members given up have are lost, acknowledged ones, too. Of deletions"
				+ " the same: what they deleted may be back.");
		if (this.records.purgedUpTo() != 0) {
			out.printf(
					"- This node may have purged deletions until %s: with the directory of a member given up, what they"
							+ " deleted would come back.%n",
					instant(this.records.purgedUpTo()));
		}
		if (this.layout.emptied() > 0) {
			out.printf("- No member that is left was a replica of %,d of the 16,384 partitions: their keys are lost.%n",
					this.layout.emptied());
		}
		if (this.layout.replicationFactor() < this.layout.replicationFactorBefore()) {
			out.printf(
					"- The replication factor is %d, not %d any more. Add members, and raise it again"
							+ " (quorate cluster replication).%n",
					this.layout.replicationFactor(), this.layout.replicationFactorBefore());
		}
	}

	private String compared(String member) {
		long hybrid = this.records.comparedWith(member);
		return (hybrid != 0) ? "This node has all that %s held at %s.".formatted(member, instant(hybrid))
				: "It is not known that this node was ever compared with %s.".formatted(member);
	}

	private static Instant instant(long hybrid) {
		return Instant.ofEpochMilli(Timestamp.millisOfHybrid(hybrid));
	}

	/**
	 * Has the directory begin with the layout.
	 * @throws IOException when it is not known whether it does; to be repeated then
	 */
	public void run(PrintStream out) throws IOException {
		if (isDone()) {
			return;
		}
		// The layout comes last: without it, the directory is as it was, but for that.
		long incarnation = RestoredRecords.ofWholeCluster(this.directory.path());
		this.layout.layout().write(this.directory.path(), this.own.id(), this.own.storageId());
		RecordedLayout written = Objects.requireNonNull(RecordedLayout.read(this.directory.path()));
		out.printf("%s begins with %s, in incarnation %d of the cluster.%n", this.own.id(), written.version(),
				incarnation);
	}

	@Override
	public void close() {
		this.directory.close();
	}

}
