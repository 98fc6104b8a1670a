package io.quorate.api.batch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.quorate.api.request.BatchOperation;
import io.quorate.coordinator.RequestTimeline;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * One batch under way: its items are done, at most {@value #AT_ONCE} of them at a time,
 * and answered in their order. Items of one key are done one after another, in the order
 * of the batch; while one waits for its key, later ones are done. So an item that takes
 * long delays none but those of its key, and the answers behind its own.
 * <p>
 * Answers are kept until the client takes them. While there is no {@link BatchRoom} for
 * values, no item begins but the one whose answer the client waits for.
 * <p>
 * A batch does not keep single requests waiting until its items have begun: it takes up
 * {@value #IN_A_TURN} lines in a turn of the event loop, fewer if they are long, and then
 * other connections have theirs. A line that is a turn's work by itself, and more, is
 * read on a thread that serves no connections, while the items before it go on, and so is
 * its value copied.
 * <p>
 * A state machine: its fields are touched by one turn at a time, on the threads of the
 * executor. Used by one subscriber, who closes it.
 */
final class Batch implements AutoCloseable {

	/** Number of items that may be under way at once. */
	static final int AT_ONCE = 64;

	/** Number of lines that are taken up in one turn of the executor. */
	static final int IN_A_TURN = 8;

	/** Bytes of answers that are handed over at once, unless one alone has more. */
	static final int PAGE_BYTES = 64 * 1024;

	private final BatchCalls calls;

	private final BatchObservation observation;

	private final Executor executor;

	private final Executor apart;

	private final BatchRoom room;

	/* Each item under way and the subscriber add one at a time. */
	private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();

	private final AtomicInteger eventCount = new AtomicInteger();

	private final @Nullable BatchAnswer[] answers;

	/* Of each key that is being worked on, the last line that was read. */
	private final Map<Key, Line> lastOfKeys = new HashMap<>();

	/* Lines whose keys have become free, the first one first. */
	private final Queue<Line> ready = new PriorityQueue<>(Comparator.comparingInt((line) -> line.number));

	private final Map<Line, Disposable> reads = new HashMap<>();

	/* They wait for the thread that copies their values, or have done so. */
	private final Set<Line> begunApart = new HashSet<>();

	/*
	 * Refers to the whole body; null when that is not needed any more. A line that waits
	 * to be read apart refers to it through this field alone.
	 */
	private volatile @Nullable BatchItemReader reader;

	private boolean isReadingApart;

	private @Nullable MonoSink<List<BatchAnswer>> waiting;

	private List<BatchAnswer> page = List.of();

	private @Nullable Throwable bug;

	private int nextLine;

	private int nextAnswer;

	private int underWay;

	private int takenUp;

	private int takenBytes;

	private boolean isClosed;

	private volatile boolean isOver;

	private volatile boolean isSent;

	/**
	 * A batch of which nothing has begun yet.
	 * @param executor runs the turns, and other work between two of them: one thread, or
	 * any if they may run on any
	 */
	Batch(BatchItemReader reader, BatchCalls calls, BatchObservation observation, Executor executor, BatchRoom room) {
		this.reader = reader;
		this.calls = calls;
		this.observation = observation;
		this.executor = executor;
		this.apart = reader.apart();
		this.room = room;
		this.answers = new BatchAnswer[reader.count()];
	}

	/**
	 * The next answers, at least one, as soon as they are there. Begins the first items
	 * when it is subscribed first. To be subscribed again when those before have left,
	 * and only until {@link #isOver}.
	 */
	Mono<List<BatchAnswer>> nextPage() {
		return Mono.create((sink) -> post(() -> {
			releasePage();
			this.waiting = sink;
		}));
	}

	/** Whether all answers have been handed over. */
	boolean isOver() {
		return this.isOver;
	}

	/** Notes that all answers have left. */
	void sent() {
		this.isSent = true;
	}

	/**
	 * Keeps further items from beginning, and abandons reads. Writes that have begun go
	 * on.
	 */
	@Override
	public void close() {
		post(() -> {
			this.isClosed = true;
			this.reader = null;
			this.reads.values().forEach(Disposable::dispose);
			this.begunApart.forEach(Line::takeItem);
			this.ready.clear();
			this.observation.end(this.isSent);
		});
	}

	private void releasePage() {
		this.room.release(this.page.stream().mapToLong(BatchAnswer::valueBytes).sum());
		this.page = List.of();
	}

	private void post(Runnable event) {
		this.events.add(event);
		if (this.eventCount.getAndIncrement() == 0) {
			this.executor.execute(this::turn);
		}
	}

	private void turn() {
		this.takenUp = 0;
		this.takenBytes = 0;
		do {
			try {
				this.events.remove().run();
				if (this.events.isEmpty() && !this.isClosed) {
					beginMore();
					handOver();
				}
			}
			catch (RuntimeException | Error broken) {
				this.bug = broken;
			}
			breakOff();
			if (isTurnOver()) {
				goOnLater();
				return;
			}
		}
		while (this.eventCount.decrementAndGet() != 0);
	}

	private boolean isTurnOver() {
		return this.takenUp == IN_A_TURN || this.takenBytes > BatchItemReader.LARGE_BYTES;
	}

	/* In the place of the event that was the last one of this turn. */
	private void goOnLater() {
		this.events.add(() -> {
		});
		this.executor.execute(this::turn);
	}

	/** Ends a batch that cannot go on, when its subscriber waits. */
	private void breakOff() {
		if (this.bug != null && this.waiting != null) {
			this.waiting.error(this.bug);
			this.waiting = null;
		}
	}

	private void beginMore() {
		while (!isTurnOver() && mayBegin()) {
			Line line = this.ready.poll();
			BatchItemReader lines = this.reader;
			if (line != null) {
				begin(line);
			}
			else if (lines != null && this.nextLine < this.answers.length && !this.isReadingApart) {
				readNext(lines);
			}
			else {
				return;
			}
			this.takenUp++;
		}
	}

	private boolean mayBegin() {
		if (this.bug != null) {
			return false;
		}
		if (this.underWay == 0 && isNextMissing()) {
			return true;
		}
		return this.underWay < AT_ONCE && this.room.isFor(this.reads.size());
	}

	/** Whether the client can take nothing more before another item is done. */
	private boolean isNextMissing() {
		return this.nextAnswer < this.answers.length && this.answers[this.nextAnswer] == null;
	}

	private void readNext(BatchItemReader lines) {
		int number = this.nextLine++;
		if (lines.isLarge(number)) {
			this.isReadingApart = true;
			this.apart.execute(() -> readApart(number));
		}
		else {
			this.takenBytes += lines.sizeBytes(number);
			take(number, lines, () -> lines.read(number));
		}
	}

	/* On a thread of its own; no turn uses the reader meanwhile. */
	private void readApart(int number) {
		BatchItemReader lines = this.reader;
		if (lines == null) {
			return;
		}
		Supplier<BatchItem> reading;
		try {
			lines.begin();
			this.calls.requireTime();
			BatchItem item = lines.read(number);
			reading = () -> item;
		}
		catch (RuntimeException | Error failed) {
			reading = () -> {
				throw failed;
			};
		}
		Supplier<BatchItem> outcome = reading;
		post(() -> {
			this.isReadingApart = false;
			if (!this.isClosed) {
				take(number, lines, outcome);
			}
		});
	}

	private void take(int number, BatchItemReader lines, Supplier<BatchItem> reading) {
		BatchItem item;
		try {
			item = reading.get();
		}
		catch (RuntimeException wrong) {
			BatchAnswer answer = this.calls.failed(wrong);
			this.observation.done(lines.operation(), answer.status());
			this.answers[number] = answer;
			return;
		}
		Line line = new Line(number, item);
		Line before = this.lastOfKeys.put(line.key, line);
		if (before != null) {
			before.behind = line;
		}
		else {
			begin(line);
		}
	}

	private void begin(Line line) {
		this.underWay++;
		RequestTimeline timeline = this.observation.begin(line.number);
		line.timeline = timeline;
		if (line.isLarge) {
			this.begunApart.add(line);
			this.apart.execute(() -> callApart(line, timeline));
			return;
		}
		Disposable call = call(line, timeline);
		if (line.operation == BatchOperation.GET) {
			this.reads.put(line, call);
		}
	}

	private void callApart(Line line, RequestTimeline timeline) {
		try {
			var _ = call(line, timeline);
		}
		catch (RuntimeException | Error broken) {
			post(() -> {
				throw broken;
			});
		}
	}

	private Disposable call(Line line, RequestTimeline timeline) {
		BatchItem item = line.takeItem();
		return (item != null) ? this.calls.call(item, timeline).subscribe((answer) -> post(() -> end(line, answer)))
				: Disposables.disposed();
	}

	private void end(Line line, BatchAnswer answer) {
		this.underWay--;
		this.observation.done(line.operation, line.key, Objects.requireNonNull(line.timeline), answer.status());
		this.begunApart.remove(line);
		boolean isRead = this.reads.remove(line) != null;
		if (this.isClosed) {
			return;
		}
		this.answers[line.number] = isRead ? kept(answer) : answer;
		Line behind = line.behind;
		if (behind != null) {
			this.ready.add(behind);
		}
		else {
			this.lastOfKeys.remove(line.key);
		}
	}

	private BatchAnswer kept(BatchAnswer answer) {
		return this.room.tryKeep(answer.valueBytes()) ? answer : this.calls.failed(this.room.full());
	}

	private void handOver() {
		MonoSink<List<BatchAnswer>> sink = this.waiting;
		if (sink != null && this.nextAnswer < this.answers.length && this.answers[this.nextAnswer] != null) {
			this.page = takePage();
			this.waiting = null;
			this.isOver = this.nextAnswer == this.answers.length;
			sink.success(this.page);
		}
	}

	private List<BatchAnswer> takePage() {
		List<BatchAnswer> taken = new ArrayList<>();
		long lineBytes = 0;
		while (this.nextAnswer < this.answers.length) {
			BatchAnswer answer = this.answers[this.nextAnswer];
			if (answer == null || (!taken.isEmpty() && lineBytes + answer.lineBytes() > PAGE_BYTES)) {
				break;
			}
			lineBytes += answer.lineBytes();
			this.answers[this.nextAnswer++] = null;
			taken.add(answer);
		}
		return taken;
	}

	/** A line that is an item. */
	private static final class Line {

		private final int number;

		private final Key key;

		private final BatchOperation operation;

		private final boolean isLarge;

		/* Refers to the whole body. */
		private volatile @Nullable BatchItem item;

		private @Nullable RequestTimeline timeline;

		private @Nullable Line behind;

		private Line(int number, BatchItem item) {
			this.number = number;
			this.key = item.key();
			this.operation = item.operation();
			this.isLarge = item instanceof BatchItem.Put put && put.value().isLarge();
			this.item = item;
		}

		/* Null when the batch was closed before. */
		private @Nullable BatchItem takeItem() {
			BatchItem taken = this.item;
			this.item = null;
			return taken;
		}

	}

}
