package io.quorate.load;

import io.gatling.javaapi.core.ChainBuilder;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * Scans of equally many records at a constant rate, and as many writes of keys that they
 * meet. Each scan has to bring all of its records, to the byte.
 */
public final class RangeScansSimulation extends LoadSimulation {

	public RangeScansSimulation() {
		super((options) -> new Keys("small", options.keys()), Options::valueSize);
		double rate = 2 * options().scanRate();
		Keys.Draw draw = draw(0, 0.5).over(options().scanRecords());
		// Each record is its key, an end of line and its value.
		int answerSize = options().scanRecords() * (keys().keySize() + 1 + options().valueSize());
		ChainBuilder silent = requests().silently().scanOrWrite(keys().draws(draw, noPhase()), answerSize);
		ChainBuilder measured = requests().scanOrWrite(keys().draws(draw, noPhase()), answerSize);
		measure(rate, silent,
				scenario("range scans").exec(measured)
					.injectOpen(constantUsersPerSec(rate).during(options().seconds())))
			.assertions(nothingFails(), everythingIsSent(rate));
	}

}
