package io.quorate.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.ApplyResult;
import io.quorate.storage.StorageProperties.Sync;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Writes of 100 bytes over a million keys, each waited for by its thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH fills the fields
public class PutBenchmark {

	private static final int KEYS = 1_000_000;

	@Param({ "quorate", "rocksdb" })
	public String engine;

	@Param("ALWAYS")
	public Sync sync;

	private Workspace workspace;

	@Setup
	public void open() throws Exception {
		this.workspace = Workspace.open(this.engine, this.sync);
	}

	@TearDown
	public void close() throws Exception {
		this.workspace.close();
	}

	@Benchmark
	public void put() throws Exception {
		int number = ThreadLocalRandom.current().nextInt(KEYS);
		this.workspace.engine().put(Records.key(number), Records.value(number));
	}

	/**
	 * One thread that keeps many writes under way, as an event loop does; the time is that
	 * between two answers.
	 */
	@Benchmark
	public void putOutstanding(Window window) throws Exception {
		int number = ThreadLocalRandom.current().nextInt(KEYS);
		QuorateEngine store = (QuorateEngine) this.workspace.engine();
		window.add(store.apply(Records.key(number), Records.value(number)));
	}

	/** The writes of one thread under way. */
	@State(Scope.Thread)
	public static class Window {

		@Param("64")
		public int outstanding;

		private final Deque<CompletableFuture<ApplyResult>> underWay = new ArrayDeque<>();

		void add(CompletableFuture<ApplyResult> write) throws Exception {
			this.underWay.add(write);
			if (this.underWay.size() >= this.outstanding) {
				this.underWay.remove().get();
			}
		}

	}

}
