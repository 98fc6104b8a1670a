package io.quorate.membership.agreement;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last reason for which this node decides nothing about the layout, in words. It is
 * logged when it is another one. Noted by one thread at a time, read by any.
 */
final class LayoutTrouble {

	/** Time for which a reason that may pass is shown after it was met last. */
	static final Duration SHOWN = Duration.ofMinutes(1);

	private static final Logger log = LoggerFactory.getLogger(LayoutTrouble.class);

	private final LongSupplier nanos;

	private volatile @Nullable Reason reason;

	LayoutTrouble(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/** The reason, or {@code null} if there is none. */
	@Nullable String said() {
		Reason last = this.reason;
		return (last != null) ? last.said() : null;
	}

	/** Notes a failure of the ledger, or another content of a known version. */
	void met(Exception failed) {
		if (failed instanceof IOException) {
			lasts("the file LAYOUT cannot be written, and this node does not vote until it is started again: "
					+ failed.getMessage());
		}
		else {
			met("%s: one of the two is of another cluster, or of an older copy".formatted(failed.getMessage()));
		}
	}

	/** Notes a reason that may pass, unless there is one that lasts. */
	void met(String said) {
		Reason last = this.reason;
		if (last == null || !last.isLasting()) {
			note(said, false);
		}
	}

	/** Notes a reason that lasts until {@link #end}. */
	void lasts(String said) {
		note(said, true);
	}

	private void note(String said, boolean isLasting) {
		if (!said.equals(said())) {
			log.error("The layout of the cluster: {}", said);
		}
		this.reason = new Reason(said, isLasting, this.nanos.getAsLong());
	}

	/** Ends any reason. */
	void end() {
		this.reason = null;
	}

	/** Ends a reason that may pass, if it was not met for some time. */
	void forgetAnOldOne() {
		Reason last = this.reason;
		if (last != null && !last.isLasting() && this.nanos.getAsLong() - last.metNanos() >= SHOWN.toNanos()) {
			end();
		}
	}

	private record Reason(String said, boolean isLasting, long metNanos) {
	}

}
