package io.quorate.repair.move;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.quorate.membership.exchange.LayoutProgress;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.reports.MemberReports;
import io.quorate.repair.antientropy.CopyObserver;
import io.quorate.repair.record.Horizon;
import io.quorate.storage.Store;

/** The copy of what a node gains, in simulated time: without its thread. */
public final class DrivenMove {

	private final Move move;

	/** The comparisons of this node, by which it copies. */
	public interface Copies {

		/** Copies from a member what this node must hold and lacks. */
		CompletableFuture<Long> from(String member, CopyObserver observer);

	}

	/**
	 * The parts of the node that copies.
	 *
	 * @param nanos the monotonic clock
	 */
	public record Node(Layouts layouts, MemberReports reports, GainedKeys gained, Horizon horizon, Store store,
			LongSupplier nanos, LayoutProgress progress) {
	}

	/**
	 * A copy that has not begun.
	 * @param isCopied whether a member is copied from; from any other one nothing comes
	 * @param isEarly whether a member is copied from before it has adopted the layout
	 */
	public DrivenMove(Node node, Copies copies, Predicate<String> isCopied, boolean isEarly) {
		this.move = new Move(node.layouts(), new LayoutCopy.Sources() {

			@Override
			public boolean hasAdopted(String member, long version) {
				return isEarly || node.reports().hasAdopted(member, version);
			}

			@Override
			public long entriesOf(String member) {
				return 0;
			}

			@Override
			public CompletableFuture<Long> copyFrom(String member, CopyObserver observer) {
				return isCopied.test(member) ? copies.from(member, observer) : CompletableFuture.completedFuture(0L);
			}

		}, node.gained(), new Move.Gainer(node.store(), node.horizon(), node.nanos()), node.progress());
	}

	/** Does what can be done now, see {@link Move#turn()}. */
	public CompletableFuture<?> turn() {
		return this.move.turn();
	}

	/** The node is killed. */
	public void giveUp() {
		this.move.stop();
	}

	/** Nanoseconds after which there is another turn. */
	public static long pauseNanos() {
		return Move.PAUSE.toNanos();
	}

}
