package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quorate.bench.Samples;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.coordinator.ScanMerge.Pause;
import io.quorate.entry.ScanRange;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A page of each of three nodes with the same 1,000 records, merged: the time of one
 * record that is found.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH fills the fields
public class ScanMergeBenchmark {

	private static final int RECORDS = 1_000;

	private static final Consistency CONSISTENCY = new Consistency(2, 3);

	private final CoordinatorFixture fixture = new CoordinatorFixture(Samples.entry(100));

	private final List<List<ScanRecord>> pages = new ArrayList<>();

	@Setup
	public void fill() {
		for (int node = 0; node < 3; node++) {
			List<ScanRecord> items = new ArrayList<>();
			for (int i = 0; i < RECORDS; i++) {
				items.add(new ScanRecord(Samples.key(i), Samples.entry(100)));
			}
			this.pages.add(items);
		}
	}

	@TearDown
	public void close() {
		this.fixture.close();
	}

	@Benchmark
	@OperationsPerInvocation(RECORDS)
	public Object record() {
		ScanMerge merge = new ScanMerge(this.fixture.lists, CONSISTENCY,
				this.fixture.coordinator.readServices().shared().timestampSource(),
				ScanRange.ascending(Samples.key(0), null));
		int node = 0;
		for (NodePages pagesOfNode : merge.nodes()) {
			pagesOfNode.add(this.pages.get(node++), null, null);
		}
		List<Row> rows = new ArrayList<>();
		if (merge.merge(rows, Long.MAX_VALUE) != Pause.END || rows.size() != RECORDS) {
			throw new IllegalStateException("%d records found".formatted(rows.size()));
		}
		return rows;
	}

}
