package io.quorate.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationShutdownHandlers;
import org.springframework.util.Assert;

import static org.assertj.core.api.Assertions.assertThat;

class LastStopTests {

	@TempDir
	private Path directory;

	private final Queue<Runnable> registered = new ArrayDeque<>();

	private boolean processEnds;

	private final SpringApplicationShutdownHandlers handlers = new SpringApplicationShutdownHandlers() {

		@Override
		public void add(Runnable action) {
			LastStopTests.this.registered.add(action);
		}

		@Override
		public void remove(Runnable action) {
			Assert.state(!LastStopTests.this.processEnds, "Shutdown in progress");
			LastStopTests.this.registered.remove(action);
		}

	};

	private LastStop last() {
		return LastStop.in(this.directory, this.handlers);
	}

	@Test
	void aNodeThatIsClosedInAProcessThatGoesOnLeavesNothingBehind() {
		LastStop stop = last();
		assertThat(this.registered).hasSize(1);
		stop.begin();
		stop.close();
		assertThat(this.registered).isEmpty();
		assertThat(last().seconds()).isBetween(0.0, 10.0);
	}

	@Test
	void inAProcessThatEndsTheStopEndsWhenEverythingIsClosed() {
		LastStop stop = last();
		stop.begin();
		this.processEnds = true;
		stop.close();
		assertThat(this.directory.resolve(LastStop.FILE_NAME)).hasContent("begun");
		this.registered.forEach(Runnable::run);
		assertThat(last().seconds()).isBetween(0.0, 10.0);
	}

	@Test
	void theNextProcessKnowsHowLongAStopTook() {
		LastStop first = last();
		assertThat(first.seconds()).isNaN();
		first.begin();
		first.end();
		assertThat(last().seconds()).isBetween(0.0, 10.0);
	}

	@Test
	void aStopThatWasCutOffTookForEver() {
		last().begin();
		assertThat(last().seconds()).isInfinite();
	}

	@Test
	void aProcessThatEndedWithoutAStopLeavesNothing() {
		last().begin();
		last().end();
		assertThat(last().seconds()).isNaN();
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void anUnreadableFileLeavesTheLastStopUnknown() throws IOException {
		Files.writeString(this.directory.resolve(LastStop.FILE_NAME), "soon");
		assertThat(last().seconds()).isNaN();
	}

	@Test
	void aDirectoryThatIsGoneIsNotMadeAnew() {
		Path gone = this.directory.resolve("gone");
		LastStop stop = LastStop.in(gone, this.handlers);
		stop.begin();
		stop.end();
		assertThat(gone).doesNotExist();
	}

	@Test
	void aStopThatNothingElseEndsIsCutOffAtItsLimit() throws InterruptedException {
		CountDownLatch halted = new CountDownLatch(1);
		LastStop stop = last();
		stop.haltAfter(Duration.ofMillis(50), halted::countDown);
		assertThat(halted.await(200, TimeUnit.MILLISECONDS)).as("no stop has begun").isFalse();
		stop.begin();
		assertThat(halted.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(last().seconds()).isInfinite();
	}

	@Test
	void aStopWithinItsLimitIsNotCutOff() throws InterruptedException {
		CountDownLatch halted = new CountDownLatch(1);
		LastStop stop = last();
		stop.haltAfter(Duration.ofSeconds(2), halted::countDown);
		stop.begin();
		stop.end();
		assertThat(halted.await(3, TimeUnit.SECONDS)).isFalse();
	}

}
