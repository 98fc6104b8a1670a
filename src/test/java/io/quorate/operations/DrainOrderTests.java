package io.quorate.operations;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.quorate.membership.Departure;
import io.quorate.membership.Endpoint;
import io.quorate.membership.Layout;
import io.quorate.membership.Layouts;
import io.quorate.membership.Membership;
import io.quorate.operations.StatefulSetScale.Known;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationShutdownHandlers;

import static org.assertj.core.api.Assertions.assertThat;

/** The order of the first part of a stop. */
class DrainOrderTests {

	@TempDir
	private Path directory;

	private final List<String> done = new ArrayList<>();

	private final Membership membership = new Membership(new Layouts("quorate-3", new Layout(1,
			List.of(new Endpoint(new Member("quorate-3", ""), "a", 1)), Ring.of(List.of(Member.of("quorate-3")), 1))));

	private boolean hasBegun() {
		return this.directory.resolve(LastStop.FILE_NAME).toFile().exists();
	}

	private LastStop lastStop() {
		return LastStop.in(this.directory, new SpringApplicationShutdownHandlers() {

			@Override
			public void add(Runnable action) {
			}

			@Override
			public void remove(Runnable action) {
			}

		});
	}

	private void stop(int replicas) {
		ScaleDown scaleDown = new ScaleDown("quorate-3", ScaleDownTests.properties("quorate"), (_) -> {
			note("asked");
			return new Known(0, replicas);
		}, new Departure() {

			@Override
			public @Nullable String objection(int staying) {
				return null;
			}

			@Override
			public boolean leave(Supplier<@Nullable String> reasonToStay, Duration longest) {
				note("left");
				return true;
			}

		});
		this.membership.onLeave(() -> note("announced"));
		Drain drain = new Drain(new OperationsProperties(Duration.ZERO, Duration.ofSeconds(7), Duration.ofSeconds(60)),
				scaleDown, (longest) -> {
					note("permitted after " + longest.toSeconds());
					return null;
				}, this.membership, lastStop());
		drain.start();
		drain.stop();
		assertThat(drain.isRunning()).isFalse();
	}

	private void note(String step) {
		this.done.add(step + (hasBegun() ? "" : ", serving"));
	}

	/**
	 * The time of the stop is that of an ordinary one: it begins when the node has left.
	 */
	@Test
	void aPodLeavesBeforeAnythingOfTheStopBegins() {
		stop(3);
		assertThat(this.done).containsExactly("asked, serving", "left, serving", "permitted after 7", "announced");
	}

	@Test
	void aPodThatStaysAMemberStopsAsEver() {
		stop(4);
		assertThat(this.done).containsExactly("asked, serving", "permitted after 7", "announced");
	}

}
