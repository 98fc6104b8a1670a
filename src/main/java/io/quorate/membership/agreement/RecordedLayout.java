package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.ConsensusCodec;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Voter;
import io.quorate.consensus.file.DamagedLedgerException;
import io.quorate.consensus.file.LedgerFile;
import io.quorate.consensus.file.OtherLedgerFormatException;
import io.quorate.membership.layout.LayoutChange;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutMember;
import io.quorate.membership.layout.LayoutRecord;
import io.quorate.membership.layout.LayoutSide;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
import org.jspecify.annotations.Nullable;

/**
 * The last layouts that the file {@code LAYOUT} of a directory, or of a snapshot of it,
 * has recorded. Immutable; the reader waits for the disk.
 * <p>
 * A snapshot has the file as it was some time after its tables, so the file may name
 * layouts that the tables have not seen: by these the node has gained keys, or lost some.
 * What counts is the {@linkplain #at layout of the floors}, which are those of the
 * tables.
 */
public final class RecordedLayout {

	/** Name of the file. */
	public static final String FILE_NAME = "LAYOUT";

	private final Path path;

	private final Voter owner;

	private final List<Decision> kept;

	private final LayoutRecord latest;

	private RecordedLayout(Path path, Voter owner, List<Decision> kept) {
		this.path = path;
		this.owner = owner;
		this.kept = kept;
		this.latest = read(path, kept.getLast());
	}

	/**
	 * A layout that is recorded.
	 *
	 * @param layout version and hash
	 * @param state whether it is of the configuration, stable or joint
	 * @param replicationFactor greatest number of members that hold a key; of a joint one
	 * before its change
	 * @param change the change under way in words, empty when there is none
	 * @param floors version of the floors that are set when a node adopts it, 0 for none
	 */
	public record Version(LayoutVersion layout, LayoutStatus.State state, int replicationFactor, String change,
			long floors) {
	}

	/**
	 * A member of the last layout.
	 *
	 * @param address host and port, empty when the layout names none
	 * @param part the part of the member in the change under way: {@code stays},
	 * {@code joins}, {@code leaves}, or {@code dead}
	 * @param storageId identity of its directory, empty when the layout names none
	 */
	public record Named(String id, String zone, String address, String part, String storageId) {
	}

	/**
	 * Reads the file of a directory.
	 * @return the layouts, {@code null} when there is no file
	 * @throws StorageStartException when it has a format that this program does not read
	 * @throws StorageCorruptedException when it is damaged
	 * @throws IOException when it cannot be read
	 */
	public static @Nullable RecordedLayout read(Path directory) throws IOException {
		Path path = directory.resolve(FILE_NAME);
		if (!Files.exists(path)) {
			return null;
		}
		try {
			ConsensusCodec.OwnedState found = LedgerFile.read(path);
			return new RecordedLayout(path, found.owner(), found.state().decisions().kept());
		}
		catch (DamagedLedgerException damaged) {
			throw new StorageCorruptedException(path, 0, String.valueOf(damaged.getMessage()), damaged);
		}
		catch (OtherLedgerFormatException other) {
			throw StorageStartException.otherFormat(path, other.found(), other.supported());
		}
	}

	private static LayoutRecord read(Path path, Decision decision) {
		try {
			return LayoutCodec.read(decision.decree());
		}
		catch (IllegalArgumentException unknown) {
			throw new StorageStartException("%s: version %d of the layout was decided by a newer program: %s"
				.formatted(path, decision.version(), unknown.getMessage()), unknown);
		}
	}

	/**
	 * The same up to the layout for which the floors of a snapshot were set.
	 * @param floors version of the floors, 0 for none
	 * @throws StorageStartException when that layout is not kept any more
	 */
	public RecordedLayout at(long floors) {
		List<Decision> until = this.kept.stream()
			.filter((decision) -> LayoutAdoption.floorsOf(decision.version(), read(this.path, decision)) == floors)
			.toList();
		if (until.isEmpty()) {
			throw new StorageStartException(
					"%s does not have the layout of the floors any more, version %d: the layout has changed too often while the backup was taken"
						.formatted(this.path, floors),
					null);
		}
		return new RecordedLayout(this.path, this.owner, this.kept.subList(0, this.kept.indexOf(until.getLast()) + 1));
	}

	/** Whether the last layout names a node as a member. */
	public boolean names(String node) {
		return this.latest.member(node) != null;
	}

	/** Whether the last layout has one member. */
	public boolean isOfOneMember() {
		return this.latest.members().size() == 1;
	}

	/**
	 * Writes these layouts into a directory with another storage id, which has given no
	 * vote.
	 */
	public void write(Path directory) throws IOException {
		LedgerFile.replace(directory.resolve(FILE_NAME), this.owner, AcceptorState.of(new Decisions(this.kept)));
	}

	/**
	 * Writes the last one of these layouts into the directory of a member, in the place
	 * of all that it had recorded, votes included.
	 * @param storageId identity of the data in the directory
	 */
	public void write(Path directory, String node, UUID storageId) throws IOException {
		LedgerFile.replace(directory.resolve(FILE_NAME), new Voter(node, storageId),
				AcceptorState.of(this.kept.getLast()));
	}

	/** The layout of a decision that takes the place of all these. */
	RecordedLayout followedBy(Decision decision) {
		return new RecordedLayout(this.path, this.owner, List.of(decision));
	}

	/** Whether these have another content of the last version of others. */
	boolean isOfAnotherHistory(RecordedLayout others) {
		LayoutVersion last = others.version();
		return this.kept.stream()
			.map(LayoutVersion::of)
			.anyMatch((its) -> its.version() == last.version() && its.contradicts(last));
	}

	/** The content of the last layout. */
	LayoutRecord latest() {
		return this.latest;
	}

	/** A member of the last layout. */
	LayoutMember member(String id) {
		return Objects.requireNonNull(this.latest.member(id));
	}

	/** Whether the cluster was recovered when the last layout was decided. */
	public boolean isOfARecovery() {
		return version().recoveries() > 0;
	}

	/** Version and hash of the last layout. */
	public LayoutVersion version() {
		return LayoutVersion.of(this.kept.getLast());
	}

	/** The members that decide on the layout after the last one, and its factor. */
	public String deciding() {
		return this.latest.stable().toString();
	}

	/** The recorded layouts, the last one at the end. */
	public List<Version> versions() {
		return this.kept.stream().map((decision) -> {
			LayoutRecord record = read(this.path, decision);
			LayoutChange change = record.change();
			return new Version(LayoutVersion.of(decision), LayoutStatus.State.of(record),
					record.stable().replicationFactor(), words(change),
					LayoutAdoption.floorsOf(decision.version(), record));
		}).toList();
	}

	private static String words(@Nullable LayoutChange change) {
		return (change != null)
				? "%s %s since version %d".formatted(change.kind().word(), change.member(), change.version()) : "";
	}

	/**
	 * The members of the last layout, on both sides of a change, in the order of their
	 * ids.
	 */
	public List<Named> members() {
		return this.latest.members()
			.stream()
			.map((member) -> new Named(member.id(), member.member().zone(),
					member.host().isEmpty() ? "" : "%s:%d".formatted(member.host(), member.port()), part(member.id()),
					member.storageId().equals(LayoutMember.UNKNOWN) ? "" : member.storageId().toString()))
			.toList();
	}

	private String part(String member) {
		LayoutSide target = this.latest.target();
		if (this.latest.dead().contains(member)) {
			return "dead";
		}
		if (!this.latest.stable().has(member)) {
			return "joins";
		}
		return (target == null || target.has(member)) ? "stays" : "leaves";
	}

	/** The last layout in words. */
	@Override
	public String toString() {
		return "%s, %s".formatted(version(), this.latest);
	}

}
