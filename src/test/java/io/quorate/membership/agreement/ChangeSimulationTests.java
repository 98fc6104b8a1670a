package io.quorate.membership.agreement;

import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.quorate.Lane;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ChangeSimulationTests {

	private static final int SEEDS = Lane.seeds(10, 25, 5000);

	private static final Logger LOG = (Logger) LoggerFactory.getLogger(LayoutAgreement.class.getPackageName());

	@BeforeAll
	static void silence() {
		LOG.setLevel(Level.OFF);
	}

	@AfterAll
	static void endSilence() {
		LOG.setLevel(null);
	}

	@Test
	void membersChangeThoughNodesAreKilledAndChangesGivenUp() {
		int begun = 0;
		int given = 0;
		int overtaken = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			ChangeSimulation run = new ChangeSimulation(seed, false);
			try {
				run.run();
			}
			catch (AssertionError | RuntimeException failure) {
				throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
			}
			begun += run.begun();
			given += run.given();
			overtaken += run.refused(Reason.OVERTAKEN);
		}
		assertThat(begun).as("changes that were begun").isGreaterThan(SEEDS);
		assertThat(given).as("changes that were given up").isGreaterThan(SEEDS / 4);
		assertThat(overtaken).as("changes that came too late").isPositive();
	}

	@Test
	void theSimulationCatchesAMemberThatReportsTooEarly() {
		assertThat(LongStream.range(0, 1000).anyMatch((seed) -> {
			try {
				new ChangeSimulation(seed, true).run();
				return false;
			}
			catch (AssertionError caught) {
				return true;
			}
		})).isTrue();
	}

}
