package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PageReply;
import io.quorate.replica.Replica;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A scan of one replica, a page at a time. */
final class PagedScan implements RangeScan {

	private static final int PAGE_RECORDS = 1024;

	private static final int PAGE_BYTES = 256 * 1024;

	private static final int PAGE_EXAMINED = 4096;

	private final Replica replica;

	private final @Nullable Key end;

	private final Duration timeout;

	private final HybridClock clock;

	private final DeadlineSweep deadlines;

	private @Nullable Key position;

	private long left;

	/** Whether the page before had no row. */
	private boolean sparse;

	PagedScan(Replica replica, Key start, @Nullable Key end, long limit, Duration timeout, HybridClock clock,
			DeadlineSweep deadlines) {
		this.replica = replica;
		this.position = start;
		this.end = end;
		this.left = limit;
		this.timeout = timeout;
		this.clock = clock;
		this.deadlines = deadlines;
	}

	@Override
	public Mono<List<Row>> nextPage() {
		return Mono.defer(() -> {
			Deadline deadline = Deadline.after(this.timeout);
			return Mono.defer(() -> nextPage(deadline))
				.repeatWhenEmpty((empty) -> empty.takeWhile((_) -> this.position != null && this.left > 0));
		});
	}

	/** The rows of one page; empty when it has none, which need not be the end. */
	private Mono<List<Row>> nextPage(Deadline deadline) {
		Key from = this.position;
		if (from == null || this.left == 0) {
			return Mono.empty();
		}
		// Deletions count as records of a page: few rows asked for need not be a few
		// records.
		int records = this.sparse ? PAGE_RECORDS : (int) Math.min(PAGE_RECORDS, this.left);
		PageLimit limit = new PageLimit(records, PAGE_BYTES, PAGE_EXAMINED);
		return this.replica.page(from, this.end, limit, deadline)
			.or(this.deadlines.failAt(deadline, () -> notReached("silent")))
			.flatMap((reply) -> switch (reply) {
				case PageReply.Page(ScanPage page) -> {
					List<Row> rows = advance(page);
					this.sparse = rows.isEmpty();
					yield rows.isEmpty() ? Mono.empty() : Mono.just(rows);
				}
				case PageReply.Failed(Failure failure) -> Mono.error(failed(failure));
			});
	}

	/** The page's records that are there for a client. */
	private List<Row> advance(ScanPage page) {
		long now = this.clock.currentMillis();
		List<Row> rows = new ArrayList<>(page.records().size());
		for (ScanPage.Item item : page.records()) {
			if (rows.size() < this.left && item.entry() instanceof Entry.Live live && !live.isAbsentAt(now)) {
				rows.add(new Row(item.key(), live));
			}
		}
		this.left -= rows.size();
		this.position = page.next();
		return rows;
	}

	private RuntimeException failed(Failure failure) {
		return (failure.reason() == Reason.OVERLOADED) ? new RefusedException(Why.OVERLOADED, failure.detail())
				: notReached(failure.reason().word());
	}

	private QuorumNotReachedException notReached(String said) {
		return new QuorumNotReachedException(1, 0, false, List.of(new Said(this.replica.nodeId(), said)));
	}

}
