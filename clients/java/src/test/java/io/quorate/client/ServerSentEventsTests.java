package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Server-sent events, in whatever pieces they come. */
class ServerSentEventsTests {

	private static final String[] WORDS = { "", "a", "put", " b: c", "grün", "\u20ac:", "\uD83D\uDE00", ":", "data",
			"{\"key\":\"x\"}", "  " };

	private static final String[] ENDS = { "\n", "\r", "\r\n" };

	private static List<String> events(String... pieces) {
		return events(1_000, Arrays.stream(pieces).map(Scripts::bytes).toList());
	}

	private static List<String> events(int longest, List<byte[]> pieces) {
		return all(new ServerSentEvents("node", longest), pieces);
	}

	private static List<String> all(ServerSentEvents stream, List<byte[]> pieces) {
		List<String> events = new ArrayList<>();
		for (byte[] piece : pieces) {
			stream.feed(ByteBuffer.wrap(piece));
			while (!stream.isEmpty()) {
				ServerSentEvents.Event event = Objects.requireNonNull(stream.poll());
				events.add(text(event.type(), new String(event.data(), StandardCharsets.UTF_8),
						(event.id() != null) ? event.id() : "-"));
			}
		}
		return events;
	}

	private static String text(String type, String data, String id) {
		return "<" + type + "|" + data + "|" + id + ">";
	}

	/** A stream of events, with what a reader has to find in it. */
	private static final class Stream {

		private final Random random;

		private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		private final List<String> events = new ArrayList<>();

		/* The number of bytes up to the end of each event. */
		private final List<Integer> ends = new ArrayList<>();

		private boolean isBehindReturn;

		Stream(long seed) {
			this.random = new Random(seed);
			int count = this.random.nextInt(8);
			if (this.random.nextInt(4) == 0) {
				this.bytes.writeBytes(Scripts.bytes("\uFEFF"));
			}
			for (int i = 0; i < count; i++) {
				addEvent();
			}
		}

		private void addEvent() {
			String type = "";
			String id = "-";
			List<String> data = new ArrayList<>();
			int lines = this.random.nextInt(6);
			for (int i = 0; i < lines; i++) {
				String word = WORDS[this.random.nextInt(WORDS.length)];
				String written = (word.startsWith(" ") || this.random.nextBoolean()) ? " " + word : word;
				switch (this.random.nextInt(6)) {
					case 0 -> {
						line("event:" + written);
						type = word;
					}
					case 1 -> {
						line("id:" + written);
						id = word;
					}
					case 2 -> line(":" + written);
					case 3 -> line("other:" + written);
					default -> {
						line(word.isEmpty() ? "data" : "data:" + written);
						data.add(word);
					}
				}
			}
			line("");
			if (!data.isEmpty() || !id.equals("-")) {
				this.events.add(text(type, String.join("\n", data), id.isEmpty() ? "-" : id));
				this.ends.add(this.bytes.size());
			}
		}

		private void line(String text) {
			String end = ENDS[this.random.nextInt(ENDS.length)];
			// Else it would be the second half of the end before.
			if (text.isEmpty() && this.isBehindReturn && end.equals("\n")) {
				end = "\r";
			}
			this.bytes.writeBytes(Scripts.bytes(text + end));
			this.isBehindReturn = end.equals("\r");
		}

		List<byte[]> pieces(int length) {
			List<byte[]> pieces = new ArrayList<>();
			byte[] all = this.bytes.toByteArray();
			int most = 1 + this.random.nextInt(20);
			for (int start = 0; start < length;) {
				int end = Math.min(length, start + this.random.nextInt(most + 1));
				pieces.add(Arrays.copyOfRange(all, start, end));
				start = end;
			}
			return pieces;
		}

	}

	@Test
	void eventsDoNotDependOnThePiecesInWhichTheyCome() {
		for (long seed = 0; seed < 3_000; seed++) {
			Stream stream = new Stream(seed);
			assertThat(events(1_000, stream.pieces(stream.bytes.size()))).as("seed " + seed).isEqualTo(stream.events);
		}
	}

	@Test
	void streamThatBreaksOffHasItsWholeEventsAlone() {
		for (long seed = 0; seed < 3_000; seed++) {
			Stream stream = new Stream(seed);
			int length = stream.random.nextInt(stream.bytes.size() + 1);
			List<String> found = events(1_000, stream.pieces(length));
			int whole = (int) stream.ends.stream().filter((end) -> end <= length).count();
			// Of an end of two bytes the first one is enough.
			boolean isBetween = whole < stream.ends.size() && stream.ends.get(whole) == length + 1
					&& stream.bytes.toByteArray()[length] == '\n' && found.size() == whole + 1;
			assertThat(found).as("seed " + seed).isEqualTo(stream.events.subList(0, isBetween ? whole + 1 : whole));
		}
	}

	@Test
	void identityCountsOnlyAtTheEndOfItsEvent() {
		assertThat(events("id: 7\ndata: a\n")).isEmpty();
		assertThat(events("id: 7\n", "data: a\n", "\ndata: b\n\n")).containsExactly("<|a|7>", "<|b|->");
		assertThat(events("id: 7\n\n")).containsExactly("<||7>");
		assertThat(events("id: a\0b\ndata\n\n", "id\ndata\n\n")).containsExactly("<||->", "<||->");
	}

	@ParameterizedTest
	@CsvSource({ "retry: 1500,1500", "retry:0,0", "retry: 12345678901234567890,999999999" })
	void retryIsANumberOfMilliseconds(String line, long millis) {
		ServerSentEvents stream = new ServerSentEvents("node", 100);
		all(stream, List.of(Scripts.bytes(line + "\n")));
		assertThat(stream.retry()).isEqualTo(millis);
	}

	@ParameterizedTest
	@ValueSource(strings = { "retry: 1s", "retry:", "retry: -1", "retry:  1", "Retry: 1", "retry: 1" })
	void whatIsNoRetryChangesNothing(String line) {
		ServerSentEvents stream = new ServerSentEvents("node", 100);
		all(stream, List.of(Scripts.bytes(line)));
		all(stream, List.of(Scripts.bytes(line.equals("retry: 1") ? "" : "\n")));
		assertThat(stream.retry()).isNull();
	}

	@Test
	void lineAndEventHaveABound() {
		byte[] line = Scripts.bytes("data:" + "x".repeat(96));
		assertThatThrownBy(() -> events(100, List.of(line))).isInstanceOf(AnswerTooLargeException.class);
		byte[] comment = Scripts.bytes(":" + "x".repeat(60));
		assertThatThrownBy(() -> events(100, List.of(comment, comment))).isInstanceOf(AnswerTooLargeException.class);
		byte[] half = Scripts.bytes("data:" + "x".repeat(60) + "\n");
		assertThatThrownBy(() -> events(100, List.of(half, half))).isInstanceOf(AnswerTooLargeException.class);
		byte[] end = Scripts.bytes("\n");
		assertThat(events(100, List.of(half, end, half, end, comment, end, comment, end))).hasSize(2);
	}

}
