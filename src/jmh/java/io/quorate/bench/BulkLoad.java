package io.quorate.bench;

import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A new store for each load, of records in shuffled order. */
@State(Scope.Benchmark)
@NullUnmarked // JMH fills the fields
public abstract class BulkLoad {

	@Param({ "quorate", "rocksdb" })
	public String engine;

	@Param("2000000")
	public int loadRecords;

	private Workspace workspace;

	@Setup(Level.Iteration)
	public void open() throws Exception {
		this.workspace = newWorkspace(this.engine);
	}

	@TearDown(Level.Iteration)
	public void close() throws Exception {
		this.workspace.close();
	}

	abstract Workspace newWorkspace(String name) throws Exception;

	/** Loads until everything lies in tables and compaction has nothing left to do. */
	Engine loaded() throws Exception {
		Engine loading = this.workspace.load(this.loadRecords).engine();
		loading.settle();
		return loading;
	}

}
