package io.quorate.load;

import io.gatling.javaapi.core.ChainBuilder;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * Large values at a constant rate, each key equally often, half of the requests reads.
 */
public final class LargeValuesSimulation extends LoadSimulation {

	public LargeValuesSimulation() {
		super((options) -> new Keys("large", options.largeKeys()), Options::largeSize);
		double rate = options().largeRate();
		Keys.Draw draw = draw(0, 0.5);
		ChainBuilder silent = requests().silently().readOrWrite(keys().draws(draw, noPhase()));
		ChainBuilder measured = requests().readOrWrite(keys().draws(draw, noPhase()));
		measure(rate, silent,
				scenario("large values").exec(measured)
					.injectOpen(constantUsersPerSec(rate).during(options().seconds())))
			.assertions(nothingFails(), everythingIsSent(rate));
	}

}
