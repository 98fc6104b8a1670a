package io.quorate.process;

import java.nio.file.Path;

import io.quorate.internode.wire.Wire;
import org.jspecify.annotations.Nullable;

/**
 * The program from which a cluster is upgraded: an older jar, which
 * {@code -Dquorate.previous.jar=...} names, or the one of this build, held at an older
 * version of the protocol. The client for Java has to know its API: a key may stand in
 * the path.
 *
 * @param jar the older jar, {@code null} for the one of this build
 * @param version version at which the one of this build is held
 */
record PreviousProgram(@Nullable Path jar, int version) {

	private static final String NEWEST_VERSION = "quorate.internode.newest-version";

	private static final int VERSION_BEFORE = 7;

	/** The program of before this build. */
	static PreviousProgram get() {
		return speaking(VERSION_BEFORE);
	}

	/** The program that speaks a version, unless an older jar is named. */
	static PreviousProgram speaking(int version) {
		String jar = System.getProperty("quorate.previous.jar");
		return new PreviousProgram((jar != null) ? Path.of(jar).toAbsolutePath() : null, version);
	}

	/**
	 * Another program of the same version of the protocol: that of a jar which
	 * {@code -Dquorate.other.jar=...} names, or that of this build.
	 */
	static PreviousProgram ofTheSameVersion() {
		String jar = System.getProperty("quorate.other.jar");
		return new PreviousProgram((jar != null) ? Path.of(jar).toAbsolutePath() : null, Wire.VERSION);
	}

	/** From its next start on the node runs this program. */
	void runOn(NodeProcess node) {
		if (this.jar != null) {
			node.withJar(this.jar);
		}
		else {
			node.with(NEWEST_VERSION, Integer.toString(this.version));
		}
	}

	/** From its next start on the node runs the program of this build. */
	void leave(NodeProcess node) {
		node.withBuild().without(NEWEST_VERSION);
	}

	/** What it says when it is started after the upgrade has been finalized. */
	String refusal() {
		return (this.jar != null) ? "NODE" : "the upgrade is finalized";
	}

	@Override
	public String toString() {
		return (this.jar != null) ? this.jar.getFileName().toString() : "version " + this.version;
	}

}
