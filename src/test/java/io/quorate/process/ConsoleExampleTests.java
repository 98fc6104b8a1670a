package io.quorate.process;

import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The parts of a command's output that a document may leave out, and those that it may
 * not.
 */
class ConsoleExampleTests {

	@Test
	void anyLinesMayBeLeftOutHoweverManyThereAre() throws Exception {
		verify("seq 200000", "1\n...\n200000");
	}

	@Test
	void noLineNeedBeLeftOut() throws Exception {
		verify("seq 2", "1\n...\n2\n...");
	}

	@Test
	void partsOfLinesMayBeLeftOut() throws Exception {
		verify("echo one two three", "one ... three");
	}

	@Test
	void otherLinesAreNoticed() {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> verify("seq 3", "1\n3"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> verify("seq 3", "1\n...\n4"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> verify("seq 3; false", "1\n...\n3"));
	}

	@Test
	void aStreamEndsWithWhatIsAwaited() throws Exception {
		verify("yes ' -N x'", "...\n -N x");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> verify("seq 3; : -N ", "1\n4"));
	}

	private static void verify(String command, String output) throws Exception {
		new ConsoleExample(command, output).verify(UnaryOperator.identity());
	}

}
