package io.quorate.internode.wire;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Messages of a comparison that are read as they were written, and other bytes, which are
 * refused.
 */
class ComparisonCodecTests {

	private static final Round ROUND = new Round(-5, 7);

	/* What every message has besides what it is about. */
	private static final int OVERHEAD_BYTES = 64;

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void questionsAreReadAsTheyWereWritten(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 200; i++) {
			Request.Comparison request = request(random);
			assertThat(decoded(bytes(encoded(request)))).as("seed %d", seed).isEqualTo(request);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void answersAreReadAsTheyWereWritten(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 200; i++) {
			Reply.Comparison reply = reply(random);
			byte[] bytes = bytes(ReplyCodec.encode(new Reply.Envelope(Timestamp.ZERO, reply)));
			assertThat(ReplyCodec.decode(Unpooled.wrappedBuffer(bytes)).reply()).as("seed %d", seed).isEqualTo(reply);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void damagedQuestionsAreRefusedAndNothingElseHappens(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 500; i++) {
			byte[] bytes = bytes(encoded(request(random)));
			int size = random.nextInt(bytes.length);
			assertThatExceptionOfType(MalformedMessageException.class).as("seed %d", seed)
				.isThrownBy(() -> RequestCodec.decode(Unpooled.wrappedBuffer(bytes, 0, size)));
			bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
			decodeOrRefuse(bytes);
		}
	}

	@Test
	void contiguousRangesTravelWithEachKeyOnce() {
		List<RangeHash> ranges = new ArrayList<>();
		Key start = Key.of("key-000");
		for (int i = 1; i <= 100; i++) {
			Key end = Key.of("key-%03d".formatted(i));
			ranges.add(new RangeHash(start, end, i, i));
			start = end;
		}
		assertThat(bytes(encoded(new Request.Compare(ROUND, ranges))).length)
			.isLessThan(100 * (7 + 2 + 2 + 8 + 4) + OVERHEAD_BYTES);
	}

	@Test
	void sizesAreAtMostWhatTheThrottleCounts() {
		Random random = new Random(1);
		List<RangeHash> ranges = List.of(range(random), range(random), range(random));
		assertThat(bytes(encoded(new Request.Compare(ROUND, ranges))).length)
			.isLessThanOrEqualTo(ranges.stream().mapToInt(RangeHash::sizeBytes).sum() + OVERHEAD_BYTES);
		List<Header> headers = List.of(header(random), header(random), header(random));
		Reply.Headers reply = new Reply.Headers(new HeaderPage(headers, null));
		assertThat(bytes(ReplyCodec.encode(new Reply.Envelope(Timestamp.ZERO, reply))).length)
			.isLessThanOrEqualTo(headers.stream().mapToInt(Header::sizeBytes).sum() + OVERHEAD_BYTES);
	}

	@Test
	void moreRangesThanAreTakenAreRefused() {
		RangeHash range = new RangeHash(Key.of("a"), null, 1, 1);
		byte[] bytes = bytes(
				encoded(new Request.Compare(ROUND, Collections.nCopies(PeerComparison.MAX_RANGES + 1, range))));
		assertThatExceptionOfType(MalformedMessageException.class).isThrownBy(() -> decoded(bytes))
			.withMessageContaining("at most 1024");
	}

	@Test
	void theFirstRangeNeedsAStart() {
		byte[] bytes = bytes(encoded(new Request.Compare(ROUND, List.of(new RangeHash(Key.of("a"), null, 1, 1)))));
		int start = bytes.length - (3 + 2 + 8 + 4);
		byte[] without = new byte[bytes.length - 1];
		System.arraycopy(bytes, 0, without, 0, start);
		System.arraycopy(bytes, start + 3, without, start + 2, bytes.length - start - 3);
		assertThatExceptionOfType(MalformedMessageException.class).isThrownBy(() -> decoded(without))
			.withMessageContaining("start");
	}

	private static Message encoded(Request request) {
		return RequestCodec.encode(new Request.Envelope(1, 2, Timestamp.ZERO, null, request));
	}

	private static Request decoded(byte[] bytes) {
		return RequestCodec.decode(Unpooled.wrappedBuffer(bytes)).request();
	}

	private static void decodeOrRefuse(byte[] bytes) {
		try {
			RequestCodec.decode(Unpooled.wrappedBuffer(bytes));
		}
		catch (MalformedMessageException refused) {
			assertThat(refused).hasMessageMatching("(?s).+");
		}
	}

	private static byte[] bytes(Message message) {
		Budget budget = new Budget(Long.MAX_VALUE);
		budget.take(message.cost());
		return SentMessages.taken(message.outgoing(ByteBufAllocator.DEFAULT, budget)).array();
	}

	private static Request.Comparison request(Random random) {
		Round round = new Round(random.nextLong(), random.nextLong());
		return switch (random.nextInt(5)) {
			case 0 -> new Request.Begin(round, comparisonStart(random));
			case 1 -> new Request.Compare(round, ranges(random));
			case 2 -> new Request.Headers(round, key(random), keyOrNull(random), random.nextInt());
			case 3 -> new Request.Fetch(round, List.of(key(random), key(random)), random.nextInt());
			default -> new Request.Complete(round);
		};
	}

	private static Reply.Comparison reply(Random random) {
		return switch (random.nextInt(4)) {
			case 0 -> new Reply.Begun(comparisonStart(random));
			case 1 -> new Reply.Compared(comparisonResult(random));
			case 2 -> new Reply.Headers(new HeaderPage(List.of(header(random), header(random)), keyOrNull(random)));
			default -> new Reply.Completed(new Round(random.nextLong(), random.nextLong()));
		};
	}

	private static ComparisonResult comparisonResult(Random random) {
		int decided = random.nextInt(PeerComparison.MAX_RANGES + 1);
		Set<Integer> differing = new HashSet<>();
		for (int i = 0; i < decided; i++) {
			if (random.nextInt(10) == 0) {
				differing.add(i);
			}
		}
		return new ComparisonResult(decided, differing);
	}

	private static List<RangeHash> ranges(Random random) {
		List<RangeHash> ranges = new ArrayList<>();
		for (int i = random.nextInt(20); i > 0; i--) {
			Key before = ranges.isEmpty() ? null : ranges.getLast().end();
			Key start = (before != null && random.nextBoolean()) ? before : key(random);
			ranges.add(new RangeHash(start, keyOrNull(random), random.nextLong(), random.nextInt()));
		}
		return ranges;
	}

	private static RangeHash range(Random random) {
		return new RangeHash(key(random), key(random), random.nextLong(), random.nextInt());
	}

	private static Header header(Random random) {
		boolean tombstone = random.nextBoolean();
		long expiry = random.nextBoolean() ? Entry.NEVER : random.nextLong(Entry.NEVER);
		int sizeBytes = tombstone ? 0 : random.nextInt(Integer.MAX_VALUE);
		return new Header(key(random), new Summary(new Timestamp(random.nextLong(), random.nextInt()), tombstone,
				random.nextInt(256), expiry, sizeBytes), 0);
	}

	private static ComparisonStart comparisonStart(Random random) {
		return new ComparisonStart(new UUID(random.nextLong(), random.nextLong()), random.nextLong(),
				new Timestamp(random.nextLong(), random.nextInt()));
	}

	private static @Nullable Key keyOrNull(Random random) {
		return random.nextBoolean() ? key(random) : null;
	}

	private static Key key(Random random) {
		byte[] bytes = new byte[1 + random.nextInt(Key.MAX_SIZE_BYTES)];
		random.nextBytes(bytes);
		return Key.wrap(bytes);
	}

}
