package io.quorate.load;

import io.gatling.javaapi.core.ChainBuilder;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * Small values at a constant rate as people use them: few keys are hot (Zipf's law with
 * the exponent 0.99, as YCSB has it), and four of five requests are reads.
 */
public final class MixedSimulation extends LoadSimulation {

	public MixedSimulation() {
		super((options) -> new Keys("small", options.keys()), Options::valueSize);
		double rate = options().rate();
		Keys.Draw draw = draw(0.99, 0.8);
		ChainBuilder silent = requests().silently().readOrWrite(keys().draws(draw, noPhase()));
		ChainBuilder measured = requests().readOrWrite(keys().draws(draw, noPhase()));
		measure(rate, silent,
				scenario("mixed").exec(measured).injectOpen(constantUsersPerSec(rate).during(options().seconds())))
			.assertions(nothingFails(), everythingIsSent(rate));
	}

}
