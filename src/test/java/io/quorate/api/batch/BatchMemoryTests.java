package io.quorate.api.batch;

import java.lang.management.ManagementFactory;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.api.problem.ProblemException;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.Admission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The memory of a batch: its body, which is there before, and each value once. What is
 * allocated beside them is bounded by the number of items.
 */
class BatchMemoryTests {

	private static final int LARGE = 4 << 20;

	private static final long PER_ITEM = 3000;

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	@ParameterizedTest
	@ValueSource(strings = { "text", "escaped", "umlauts", "base64", "slashes", "unpadded" })
	void aLargeValueIsCopiedOnce(String form) {
		String member = member(form, LARGE);
		String line = "{\"op\":\"put\"," + member + ",\"id\":\"a\"}";
		valuesOf(line);
		long allocated = valuesOf(line);
		assertThat(allocated).isBetween(2L * LARGE / 3, LARGE + 10_000L);
	}

	@Test
	void aLineThatIsNoItemCopiesNothing() {
		String text = "x".repeat(LARGE);
		for (String line : List.of("{\"op\":\"put\",\"id\":\"a\",\"tixt\":\"" + text + "\"}",
				"{\"op\":\"put\",\"text\":\"" + text + "\",\"id\":\"a\",\"ttl\":0}",
				"{\"op\":\"put\",\"text\":\"" + text + "\",\"id\":\"a\"", "{\"z\":\"" + text + "\"}",
				"{\"op\":\"get\",\"id\":\"" + text + "\"}")) {
			refused(line);
			assertThat(refused(line)).as(line.substring(0, 30)).isLessThan(30_000);
		}
	}

	@Test
	void manySmallItemsTakeLittleBesideTheirValues() {
		String lines = IntStream.range(0, 1000)
			.mapToObj((i) -> "{\"op\":\"put\",\"id\":\"k%d\",\"text\":\"%s\"}".formatted(i, "v".repeat(100)))
			.collect(Collectors.joining("\n"));
		valuesOf(lines);
		assertThat(valuesOf(lines)).isLessThan(1000 * PER_ITEM);
	}

	@Test
	void theBytesThatAreAdmittedAreAtMostTwiceTheBody() {
		Admission admission = new Admission(1000, 1 << 30, new SimpleMeterRegistry());
		for (String form : List.of("text", "base64", "escaped")) {
			byte[] body = ("{\"op\":\"put\",\"id\":\"a\"," + member(form, LARGE) + "}").getBytes(UTF_8);
			try (Admission.Permit _ = admission.admit(body.length)) {
				BatchItemReader reader = new BatchItemReader(BatchLines.of(body, 1), Runnable::run, TimeSource.SYSTEM);
				BatchItem.Put put = (BatchItem.Put) reader.read(0);
				try (Admission.Permit _ = admission.admit(put.value().sizeBytes())) {
					assertThat(admission.bytes()).isLessThanOrEqualTo(2L * body.length);
				}
			}
		}
	}

	/* Bytes that are allocated for reading all lines and copying their values. */
	private static long valuesOf(String text) {
		BatchLines lines = BatchLines.of(text.getBytes(UTF_8), 1000);
		long before = THREADS.getCurrentThreadAllocatedBytes();
		BatchItemReader reader = new BatchItemReader(lines, Runnable::run, TimeSource.SYSTEM);
		int size = 0;
		for (int i = 0; i < lines.count(); i++) {
			size += ((BatchItem.Put) reader.read(i)).value().value().size();
		}
		long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
		assertThat(size).isPositive();
		return allocated;
	}

	private static long refused(String text) {
		BatchLines lines = BatchLines.of(text.getBytes(UTF_8), 1);
		long before = THREADS.getCurrentThreadAllocatedBytes();
		BatchItemReader reader = new BatchItemReader(lines, Runnable::run, TimeSource.SYSTEM);
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> reader.read(0));
		return THREADS.getCurrentThreadAllocatedBytes() - before;
	}

	private static String member(String form, int size) {
		byte[] bytes = new byte[size];
		new Random(1).nextBytes(bytes);
		String base64 = Base64.getEncoder().encodeToString(bytes);
		return switch (form) {
			case "text" -> "\"text\":\"" + "x".repeat(size) + "\"";
			case "escaped" -> "\"text\":\"" + "\\n\\u00e4\\\"".repeat(size / 4) + "\"";
			case "umlauts" -> "\"text\":\"" + "ä".repeat(size / 2) + "\"";
			case "slashes" -> "\"value\":\"" + base64.replace("/", "\\/") + "\"";
			case "unpadded" -> "\"value\":\"" + base64.replace("=", "") + "\"";
			default -> "\"value\":\"" + base64 + "\"";
		};
	}

}
