package io.quorate.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class LastStopTests {

	@TempDir
	private Path directory;

	@Test
	void theNextProcessKnowsHowLongAStopTook() {
		LastStop first = LastStop.in(this.directory);
		assertThat(first.seconds()).isNaN();
		first.begin();
		first.end();
		assertThat(LastStop.in(this.directory).seconds()).isBetween(0.0, 10.0);
	}

	@Test
	void aStopThatWasCutOffTookForEver() {
		LastStop.in(this.directory).begin();
		assertThat(LastStop.in(this.directory).seconds()).isInfinite();
	}

	@Test
	void aProcessThatEndedWithoutAStopLeavesNothing() {
		LastStop.in(this.directory).begin();
		LastStop.in(this.directory).end();
		assertThat(LastStop.in(this.directory).seconds()).isNaN();
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void whatNobodyUnderstandsIsUnknownAndGoesAway() throws IOException {
		Files.writeString(this.directory.resolve(LastStop.FILE_NAME), "soon");
		assertThat(LastStop.in(this.directory).seconds()).isNaN();
	}

	@Test
	void aDirectoryThatIsGoneIsNotMadeAnew() {
		Path gone = this.directory.resolve("gone");
		LastStop stop = LastStop.in(gone);
		stop.begin();
		stop.end();
		assertThat(gone).doesNotExist();
	}

}
