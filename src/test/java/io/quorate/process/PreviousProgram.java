package io.quorate.process;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * The program from which a cluster is upgraded: an older jar, which
 * {@code -Dquorate.previous.jar=...} names, or the one of this build, held at the
 * protocol version before its newest.
 *
 * @param jar the older jar, {@code null} for the one of this build
 */
record PreviousProgram(@Nullable Path jar) {

	private static final String NEWEST_VERSION = "quorate.internode.newest-version";

	private static final String VERSION_BEFORE = "6";

	static PreviousProgram get() {
		String jar = System.getProperty("quorate.previous.jar");
		return new PreviousProgram((jar != null) ? Path.of(jar).toAbsolutePath() : null);
	}

	/** From its next start on the node runs this program. */
	void runOn(NodeProcess node) {
		if (this.jar != null) {
			node.withJar(this.jar);
		}
		else {
			node.with(NEWEST_VERSION, VERSION_BEFORE);
		}
	}

	/** From its next start on the node runs the program of this build. */
	void leave(NodeProcess node) {
		node.withBuild().without(NEWEST_VERSION);
	}

	/** What it says when it is started after the upgrade has been finalized. */
	String refusal() {
		return (this.jar != null) ? "NODE has format version 2" : "the upgrade is finalized";
	}

	@Override
	public String toString() {
		return (this.jar != null) ? this.jar.getFileName().toString() : "version " + VERSION_BEFORE;
	}

}
