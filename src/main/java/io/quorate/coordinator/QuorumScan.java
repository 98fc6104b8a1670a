package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.quorate.clock.Deadline;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.coordinator.ScanMerge.Pause;
import io.quorate.coordinator.ScanMerge.StaleRecord;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A scan of the whole cluster: asks the nodes for the pages that a {@link ScanMerge}
 * merges.
 * <p>
 * A state machine: its fields are touched by one turn at a time. A node is asked for its
 * next page when the one before is used up and the caller waits for records. The pages of
 * all nodes together are bounded by {@value #PAGES_BYTES} bytes or a record each, and
 * counted by the permit. A node that fails is asked again for the next page of the scan.
 */
final class QuorumScan implements RangeScan {

	private static final int PAGE_RECORDS = 1024;

	private static final int PAGES_BYTES = 256 * 1024;

	private static final int PAGE_BYTES_MIN = 16 * 1024;

	private static final int PAGE_EXAMINED = 4096;

	private static final Failure NO_ROOM = new Failure(Reason.OVERLOADED, "the coordinator has no room for the page");

	private final RequestServices services;

	private final ReadServices readServices;

	private final ScanRequest request;

	private final Consistency quorum;

	/* By the layout under which it is planned. */
	private volatile PreferenceLists lists;

	private ScanMerge merge;

	/*
	 * Instant at which it is planned anew by the same layout, because too many nodes have
	 * refused a page.
	 */
	private volatile @Nullable Long retryAtNanos;

	private long pauseNanos = Planner.RETRY_NANOS;

	private final SerialExecutor serialExecutor = new SerialExecutor(this::breakDown);

	private final AtomicBoolean isClosed = new AtomicBoolean();

	private @Nullable Demand demand;

	/* The caller asks for one page after the other, on whatever thread. */
	private volatile @Nullable Deadline latestDeadline;

	private long left;

	/* Bytes of the records that the caller is assumed to hold. */
	private long givenBytes;

	/* Whether the last merge gave no row. */
	private boolean isSparse;

	QuorumScan(ReadServices readServices, ScanRequest request) {
		this.services = readServices.shared();
		this.readServices = readServices;
		this.request = request;
		this.lists = this.services.planner().lists();
		this.quorum = request.consistency().at(this.lists.replicationFactor());
		this.left = request.wanted().limit();
		this.merge = new ScanMerge(this.lists, request.consistency(), this.services.timestampSource(),
				request.wanted().range());
		this.services.metrics().scanBegun();
	}

	@Override
	public Mono<List<Row>> nextPage(boolean keepsEarlier) {
		return Mono.create((sink) -> {
			long now = this.services.deadlines().nanoTime();
			Deadline before = this.latestDeadline;
			Deadline deadline = (keepsEarlier && before != null) ? before
					: new Deadline(now + this.request.timeout().toNanos());
			this.latestDeadline = deadline;
			Demand next = new Demand(sink, deadline, now);
			this.services.deadlines().watch(next);
			sink.onDispose(() -> {
				this.services.deadlines().unwatch(next);
				this.serialExecutor.run(() -> leave(next));
			});
			this.serialExecutor.run(() -> begin(next, keepsEarlier));
		});
	}

	private void begin(Demand next, boolean keepsEarlier) {
		this.demand = next;
		this.retryAtNanos = null;
		this.pauseNanos = Planner.RETRY_NANOS;
		this.request.timeline().enter(Stage.REPLICAS, this.services.deadlines().nanoTime());
		this.givenBytes = keepsEarlier ? this.givenBytes : 0;
		this.request.permit().tryHold(heldBytes());
		for (NodePages node : this.merge.nodes()) {
			node.failure = null;
		}
		advance();
	}

	/** Ends a demand: the caller does not wait any more. */
	private void leave(Demand gone) {
		if (this.demand == gone) {
			this.demand = null;
			this.merge.nodes().forEach(NodePages::stopAsking);
		}
	}

	/** Goes as far as the pages that have come allow. */
	private void advance() {
		List<Row> rows = new ArrayList<>();
		while (this.demand != null) {
			if (this.left == 0) {
				give(rows);
				return;
			}
			askDryNodes(this.demand.deadline);
			if (!this.merge.isQuorate(NodePages::isLost)) {
				if (this.merge.nodes().stream().noneMatch(NodePages::isOfOtherLayout)) {
					breakDown(failure());
					return;
				}
				if (!planAnewIfDue()) {
					return;
				}
				continue;
			}
			boolean isWaiting = this.merge.nodes().stream().anyMatch(NodePages::isAwaited);
			if (isWaiting || !this.merge.isQuorate(NodePages::isOut)) {
				return;
			}
			Pause pause = this.merge.merge(rows, this.left);
			this.services.metrics().scanned(this.merge.takeExamined(), rows.size());
			advance(pause, rows);
		}
	}

	/**
	 * Plans anew by another layout, or by the same one after a pause that gets longer
	 * each time.
	 * @return whether it has done so; until then nothing happens
	 */
	private boolean planAnewIfDue() {
		long now = this.services.deadlines().nanoTime();
		if (this.retryAtNanos == null) {
			this.retryAtNanos = now + this.pauseNanos;
			this.pauseNanos *= 2;
			this.services.metrics().plannedAnew();
		}
		if (!isOvertaken() && now - this.retryAtNanos < 0) {
			return false;
		}
		planAnew();
		return true;
	}

	private boolean isOvertaken() {
		return this.services.planner().isOvertaken(this.lists);
	}

	private void planAnew() {
		this.retryAtNanos = null;
		this.merge.nodes().forEach(NodePages::stopAsking);
		this.lists = this.services.planner().lists();
		this.merge = this.merge.goneOn(this.lists);
	}

	/** At a tick: goes on by another layout, if that is what a node waits for. */
	private void lookAtLayout() {
		boolean isRefused = this.merge.nodes().stream().anyMatch(NodePages::isOfOtherLayout);
		if (isRefused && isOvertaken()) {
			planAnew();
			advance();
		}
		else if (this.retryAtNanos != null) {
			advance();
		}
	}

	private void advance(Pause pause, List<Row> rows) {
		this.isSparse = rows.isEmpty();
		if (pause == Pause.UNDECIDED) {
			fail();
		}
		else if (pause == Pause.END || !rows.isEmpty()) {
			give(rows);
		}
		else if (this.demand != null) {
			repairStale(this.demand.deadline);
		}
	}

	/** Goes on without silent nodes, if the rest are enough. */
	private void leaveBehind(Predicate<NodePages> which) {
		for (NodePages silent : this.merge.nodes()) {
			if (silent.isAsked() && which.test(silent)) {
				silent.isLeftBehind = true;
				advance();
			}
		}
	}

	private void askDryNodes(Deadline deadline) {
		for (NodePages node : this.merge.nodes()) {
			if (node.isDry() && !node.isAsked() && node.failure == null) {
				int ask = node.asks();
				node.isLeftBehind = this.services.clusterView().suspects().isSuspect(node.replica.nodeId());
				Hop hop = this.request.timeline()
					.ask(node.replica.nodeId(), Work.PAGE, this.services.deadlines().nanoTime());
				node.stopsBy(this.request.timeline()
					.traced(node.replica)
					.page(new PageRequest(node.rest(this.merge.decided()), limit(), this.request.wanted().isKeysOnly()),
							deadline)
					.subscribe((reply) -> {
						hop.answered(reply, this.services.deadlines().nanoTime());
						this.serialExecutor.run(() -> arrived(node, ask, reply));
					}));
			}
		}
	}

	private PageLimit limit() {
		int sizeBytes = Math.max(PAGES_BYTES / this.merge.nodes().size(), PAGE_BYTES_MIN);
		// Deletions count as records of a page: few rows asked for need not be a few
		// records.
		int records = this.isSparse ? PAGE_RECORDS : (int) Math.min(PAGE_RECORDS, this.left);
		return new PageLimit(records, sizeBytes, PAGE_EXAMINED);
	}

	private void arrived(NodePages node, int ask, PageReply reply) {
		if (!node.isAnsweredBy(ask)) {
			return;
		}
		switch (reply) {
			case PageReply.Page(ScanPage page) ->
				takeIn(node, page.records().stream().map(ScanRecord::of).toList(), page.next());
			case PageReply.Headers(HeaderPage page) ->
				takeIn(node, page.headers().stream().map(ScanRecord::of).toList(), page.next());
			case PageReply.Failed(Failure failure) -> node.failure = failure;
		}
		advance();
	}

	private void takeIn(NodePages node, List<ScanRecord> page, @Nullable Key next) {
		if (this.request.permit().tryHold(heldBytes() + NodePages.sizeBytes(page))) {
			node.add(page, next, this.merge.decided());
		}
		else {
			node.failure = NO_ROOM;
		}
	}

	private long heldBytes() {
		long bytes = this.givenBytes;
		for (NodePages node : this.merge.nodes()) {
			bytes += node.sizeBytes();
		}
		return bytes;
	}

	private void give(List<Row> rows) {
		Demand given = this.demand;
		if (given == null) {
			return;
		}
		this.demand = null;
		this.left -= rows.size();
		for (Row row : rows) {
			this.givenBytes += row.sizeBytes();
		}
		this.request.permit().tryHold(heldBytes());
		this.request.timeline().leave(this.services.deadlines().nanoTime());
		given.sink.success(rows.isEmpty() ? null : rows);
		repairStale(given.deadline);
	}

	private void repairStale(Deadline deadline) {
		for (StaleRecord record : this.merge.takeStale()) {
			this.readServices.backgroundReadRepair().repair(record.key(), record.winner(), record.lacking(), deadline);
		}
	}

	private RuntimeException failure() {
		if (isOverloaded()) {
			return overloaded();
		}
		return notReached();
	}

	/** Whether nothing but overload keeps nodes from answering. */
	private boolean isOverloaded() {
		return this.merge.nodes()
			.stream()
			.map((node) -> node.failure)
			.allMatch((failure) -> failure == null || failure.reason() == Reason.OVERLOADED);
	}

	private RefusedException overloaded() {
		String detail = "too many nodes are overloaded: " + said();
		boolean isHere = this.merge.nodes().stream().anyMatch((node) -> NO_ROOM.equals(node.failure));
		return isHere ? this.request.permit().full(detail) : new RefusedException(Why.REPLICAS, detail);
	}

	private void fail() {
		breakDown(notReached());
	}

	private QuorumNotReachedException notReached() {
		int acks = (int) this.merge.nodes().stream().filter((node) -> !node.isDry()).count();
		return new QuorumNotReachedException(this.quorum.ack(), acks, false, said());
	}

	private List<Said> said() {
		return this.merge.nodes().stream().map((node) -> new Said(node.replica.nodeId(), node.said())).toList();
	}

	private void breakDown(Throwable cause) {
		Demand failed = this.demand;
		this.demand = null;
		if (failed != null) {
			this.merge.nodes().forEach(NodePages::stopAsking);
			this.request.timeline().leave(this.services.deadlines().nanoTime());
			if (cause instanceof RefusedException refused) {
				this.services.metrics().refused(refused);
			}
			failed.sink.error(cause);
		}
	}

	@Override
	public void close() {
		if (this.isClosed.compareAndSet(false, true)) {
			this.services.metrics().scanEnded();
		}
	}

	/** The caller's wait for the next records. */
	private final class Demand implements DeadlineSweep.Waiting {

		private final MonoSink<List<Row>> sink;

		private final Deadline deadline;

		private final long lastChanceNanos;

		private boolean isLastChance;

		private Demand(MonoSink<List<Row>> sink, Deadline deadline, long nowNanos) {
			this.sink = sink;
			this.deadline = deadline;
			this.lastChanceNanos = deadline.lastChanceNanos(nowNanos);
		}

		@Override
		public void onTick(long nowNanos) {
			if (this.deadline.nanos() - nowNanos <= 0) {
				QuorumScan.this.serialExecutor.run(() -> {
					if (QuorumScan.this.demand == this) {
						fail();
					}
				});
			}
			else if (!this.isLastChance && nowNanos - this.lastChanceNanos >= 0) {
				this.isLastChance = true;
				QuorumScan.this.serialExecutor.run(() -> {
					if (QuorumScan.this.demand == this) {
						leaveBehind((_) -> true);
					}
				});
			}
			if (QuorumScan.this.retryAtNanos != null || isOvertaken()) {
				QuorumScan.this.serialExecutor.run(() -> {
					if (QuorumScan.this.demand == this) {
						lookAtLayout();
					}
				});
			}
		}

		@Override
		public void onSuspect(String node) {
			QuorumScan.this.serialExecutor.run(() -> leaveBehind((silent) -> silent.replica.nodeId().equals(node)));
		}

	}

}
