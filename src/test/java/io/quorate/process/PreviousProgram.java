package io.quorate.process;

import java.nio.file.Path;

import io.quorate.storage.FormatLevel;
import org.jspecify.annotations.Nullable;

/**
 * The program from which a cluster is upgraded: an older jar, which
 * {@code -Dquorate.previous.jar=...} names, or the one of this build. Without a jar the
 * program to which it is upgraded is that of this build, too, in which a format level and
 * a version of the protocol above the newest ones are planted. The client for Java has to
 * know the API of a jar: a key may stand in the path.
 *
 * @param jar the older jar, {@code null} for this build
 */
record PreviousProgram(@Nullable Path jar) {

	private static final int PLANTED_LEVEL = FormatLevel.NEWEST + 1;

	private static final String PLANT = "-Dio.quorate.planted-format-level=" + PLANTED_LEVEL;

	private static final String NEWEST_VERSION = "quorate.internode.newest-version";

	/** The program of before this build. */
	static PreviousProgram get() {
		return named("quorate.previous.jar");
	}

	/**
	 * Another program of the same version of the protocol: that of a jar which
	 * {@code -Dquorate.other.jar=...} names, or that of this build.
	 */
	static PreviousProgram ofTheSameVersion() {
		return named("quorate.other.jar");
	}

	private static PreviousProgram named(String property) {
		String jar = System.getProperty(property);
		return new PreviousProgram((jar != null) ? Path.of(jar).toAbsolutePath() : null);
	}

	/** From its next start on the node runs this program. */
	void runOn(NodeProcess node) {
		if (this.jar != null) {
			node.withJar(this.jar);
		}
		else {
			node.withoutJvm(PLANT).without(NEWEST_VERSION);
		}
	}

	/** From its next start on the node runs the program after this one. */
	void leave(NodeProcess node) {
		if (this.jar != null) {
			node.withBuild();
		}
		else {
			node.withoutJvm(PLANT).withJvm(PLANT).with(NEWEST_VERSION, Integer.toString(PLANTED_LEVEL));
		}
	}

	/**
	 * From its next start on the node runs the program after this one, held at the
	 * protocol of this one.
	 */
	void hold(NodeProcess node) {
		leave(node);
		node.with(NEWEST_VERSION, Integer.toString(PLANTED_LEVEL - 1));
	}

	/** What it says when it is started after the upgrade has been finalized. */
	String refusal() {
		return (this.jar != null) ? "NODE" : "the directory has format level %d, this program supports %d"
			.formatted(PLANTED_LEVEL, FormatLevel.NEWEST);
	}

	@Override
	public String toString() {
		return (this.jar != null) ? this.jar.getFileName().toString() : "this build";
	}

}
