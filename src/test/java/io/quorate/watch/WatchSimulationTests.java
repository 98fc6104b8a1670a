package io.quorate.watch;

import io.quorate.watch.WatchSimulation.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThatCode;

class WatchSimulationTests {

	private static final int SEEDS = Integer.getInteger("quorate.seeds", 40);

	private static final long FIRST = Long.getLong("quorate.seed", 0);

	static Stream<Shape> shapes() {
		return Stream.of(new Shape(3, false, false, false, false, 0), new Shape(3, true, true, false, false, 60),
				new Shape(3, true, true, true, false, 60), new Shape(5, true, false, true, false, 60),
				new Shape(3, true, false, false, true, 60), new Shape(3, false, false, true, true, 60),
				new Shape(1, false, false, true, false, 60));
	}

	@ParameterizedTest
	@MethodSource("shapes")
	void clientsLearnTheLastVersionOfEachKey(Shape shape) {
		for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
			WatchSimulation simulation = new WatchSimulation(shape, seed);
			assertThatCode(() -> simulation.run(20)).as("%s, seed %d", shape, seed).doesNotThrowAnyException();
		}
	}

}
