package io.quorate.membership.agreement;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import io.quorate.consensus.AcceptorState;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Voter;
import io.quorate.consensus.file.LedgerFile;
import io.quorate.membership.layout.LayoutCodec;
import io.quorate.membership.layout.LayoutFixture;
import io.quorate.membership.layout.LayoutMachine;
import io.quorate.membership.layout.LayoutRecord;

/**
 * Layouts of a cluster of n0, n1 and n2, which n3 joins: version 2 is that of the three
 * members, 3 the joint one, 4 that of all four.
 */
public final class RecordedLayouts {

	/** The version before the change. */
	public static final int BEFORE = 2;

	/** The version that begins the change. */
	public static final int JOINT = 3;

	/** The version that ends the change. */
	public static final int AFTER = 4;

	/** The version after a recovery at {@link #BEFORE}. */
	public static final long RECOVERED = 1_000_000_003;

	private RecordedLayouts() {
	}

	/**
	 * Writes the versions from 2 to the last one as the file of a directory of a node.
	 */
	public static void write(Path directory, String node, int last) throws IOException {
		LedgerFile.replace(directory.resolve(RecordedLayout.FILE_NAME), new Voter(node, new UUID(1, 99)),
				AcceptorState.of(until(last)));
	}

	/**
	 * Writes the layout of n0 alone, which was left of three members, as the file of its
	 * directory.
	 */
	public static void writeRecovered(Path directory) throws IOException {
		write(directory, "n0", RECOVERED, LayoutFixture.stable(1, 1));
	}

	/**
	 * Writes one layout as the file of a directory of a node, as if it were the only one
	 * that the node knows.
	 */
	static RecordedLayout write(Path directory, String node, long version, LayoutRecord record) throws IOException {
		LedgerFile.replace(directory.resolve(RecordedLayout.FILE_NAME), new Voter(node, new UUID(1, 99)),
				AcceptorState.of(new Decision(version, LayoutCodec.write(record))));
		return Objects.requireNonNull(RecordedLayout.read(directory));
	}

	static Decisions until(int last) {
		List<Decision> all = new ArrayList<>();
		for (int version = BEFORE; version <= last; version++) {
			all.add(new Decision(version, LayoutCodec.write(record(version))));
		}
		return new Decisions(all);
	}

	static LayoutRecord record(int version) {
		LayoutRecord before = LayoutFixture.stable(3, 3);
		LayoutRecord joint = LayoutMachine.add(before, LayoutFixture.member(3),
				new LayoutMachine.Asked(BEFORE, "an operator", 1000));
		return switch (version) {
			case BEFORE -> before;
			case JOINT -> joint;
			case AFTER -> LayoutMachine.complete(joint);
			default -> throw new IllegalArgumentException("version " + version);
		};
	}

}
