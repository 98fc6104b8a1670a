package io.quorate.internode.wire;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of the messages of a comparison, in the order of their records'
 * components.
 * <p>
 * Round: {@code number 8 | instant 8}. Ranges:
 * {@code count 4 | (start | end | hash 8 | count 4)*}, with no key for a start that
 * equals the end of the range before. Header: {@code key | summary}; the sequence is not
 * sent, as it means something on its node alone. Page of headers:
 * {@code next key | count 4 | header*}. Differing ranges:
 * {@code decided 4 | a bit for each of them}, with the first range in the lowest bit of
 * the first byte.
 */
final class ComparisonCodec {

	private static final int ROUND_SIZE = 2 * Long.BYTES;

	private static final int NOTED_SIZE = 3 * Long.BYTES + Timestamp.SIZE_BYTES;

	private ComparisonCodec() {
	}

	static int size(Request.Comparison request) {
		return ROUND_SIZE + switch (request) {
			case Request.Begin _ -> NOTED_SIZE;
			case Request.Compare compare -> size(compare.ranges());
			case Request.Headers headers ->
				MessageWriter.sizeOf(headers.start()) + MessageWriter.sizeOf(headers.end()) + Integer.BYTES;
			case Request.Fetch fetch -> 2 * Integer.BYTES + fetch.keys().stream().mapToInt(MessageWriter::sizeOf).sum();
			case Request.Complete _ -> 0;
		};
	}

	static void write(Request.Comparison request, MessageWriter to) {
		write(request.round(), to);
		switch (request) {
			case Request.Begin begin -> write(begin.comparisonStart(), to);
			case Request.Compare compare -> write(compare.ranges(), to);
			case Request.Headers headers -> to.put(headers.start()).put(headers.end()).putInt(headers.maxReplyBytes());
			case Request.Fetch fetch -> {
				to.putInt(fetch.keys().size());
				fetch.keys().forEach(to::put);
				to.putInt(fetch.maxReplyBytes());
			}
			case Request.Complete _ -> {
			}
		}
	}

	static Request.Begin begin(MessageReader from) {
		return new Request.Begin(round(from), comparisonStart(from));
	}

	static Request.Compare compare(MessageReader from) {
		return new Request.Compare(round(from), ranges(from));
	}

	static Request.Headers headers(MessageReader from) {
		return new Request.Headers(round(from), from.key(), from.keyOrNull(), from.readInt());
	}

	static Request.Fetch fetch(MessageReader from) {
		Round round = round(from);
		int count = count(from, PeerComparison.MAX_KEYS);
		List<Key> keys = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			keys.add(from.key());
		}
		return new Request.Fetch(round, keys, from.readInt());
	}

	static int size(Reply.Comparison reply) {
		return switch (reply) {
			case Reply.Begun _ -> NOTED_SIZE;
			case Reply.Compared compared -> Integer.BYTES + bytesOfBits(compared.ranges().decided());
			case Reply.Headers(var page) -> MessageWriter.sizeOf(page.next()) + Integer.BYTES
					+ page.headers().stream().mapToInt(ComparisonCodec::size).sum();
			case Reply.Completed _ -> ROUND_SIZE;
		};
	}

	static void write(Reply.Comparison reply, MessageWriter to) {
		switch (reply) {
			case Reply.Begun(var comparisonStart) -> write(comparisonStart, to);
			case Reply.Compared(var ranges) -> write(ranges, to);
			case Reply.Headers(var page) -> {
				to.put(page.next()).putInt(page.headers().size());
				page.headers().forEach((header) -> write(header, to));
			}
			case Reply.Completed(var round) -> write(round, to);
		}
	}

	private static void write(Round round, MessageWriter to) {
		to.putLong(round.number()).putLong(round.instant());
	}

	static Round round(MessageReader from) {
		return new Round(from.readLong(), from.readLong());
	}

	private static void write(ComparisonStart comparisonStart, MessageWriter to) {
		to.put(comparisonStart.storageId())
			.putLong(comparisonStart.durableSequence())
			.put(comparisonStart.purgeHorizon());
	}

	static ComparisonStart comparisonStart(MessageReader from) {
		return new ComparisonStart(from.id(), from.readLong(), from.timestamp());
	}

	private static int size(List<RangeHash> ranges) {
		int size = Integer.BYTES;
		Key end = null;
		for (RangeHash range : ranges) {
			size += MessageWriter.sizeOf(startOrNull(range, end)) + MessageWriter.sizeOf(range.end()) + Long.BYTES
					+ Integer.BYTES;
			end = range.end();
		}
		return size;
	}

	private static void write(List<RangeHash> ranges, MessageWriter to) {
		to.putInt(ranges.size());
		Key end = null;
		for (RangeHash range : ranges) {
			to.put(startOrNull(range, end)).put(range.end()).putLong(range.hash()).putInt(range.count());
			end = range.end();
		}
	}

	private static @Nullable Key startOrNull(RangeHash range, @Nullable Key endBefore) {
		return range.start().equals(endBefore) ? null : range.start();
	}

	private static List<RangeHash> ranges(MessageReader from) {
		int count = count(from, PeerComparison.MAX_RANGES);
		List<RangeHash> ranges = new ArrayList<>();
		Key end = null;
		for (int i = 0; i < count; i++) {
			Key start = from.keyOrNull();
			if (start == null) {
				start = end;
			}
			if (start == null) {
				throw new MalformedMessageException("a range without a start");
			}
			end = from.keyOrNull();
			ranges.add(new RangeHash(start, end, from.readLong(), from.readInt()));
		}
		return ranges;
	}

	private static int bytesOfBits(int bits) {
		return (bits + Byte.SIZE - 1) / Byte.SIZE;
	}

	private static void write(ComparisonResult ranges, MessageWriter to) {
		to.putInt(ranges.decided());
		for (int at = 0; at < ranges.decided(); at += Byte.SIZE) {
			int octet = 0;
			for (int bit = 0; bit < Byte.SIZE; bit++) {
				octet |= ranges.differing().contains(at + bit) ? 1 << bit : 0;
			}
			to.put(octet);
		}
	}

	static ComparisonResult comparisonResult(MessageReader from) {
		int decided = count(from, PeerComparison.MAX_RANGES);
		byte[] octets = new byte[bytesOfBits(decided)];
		for (int i = 0; i < octets.length; i++) {
			octets[i] = (byte) from.octet();
		}
		Set<Integer> differing = BitSet.valueOf(octets).stream().boxed().collect(Collectors.toSet());
		return new ComparisonResult(decided, differing);
	}

	private static int size(Header header) {
		return MessageWriter.sizeOf(header.key()) + MessageWriter.sizeOf(header.summary());
	}

	private static void write(Header header, MessageWriter to) {
		to.put(header.key()).put(header.summary());
	}

	static HeaderPage page(MessageReader from) {
		@Nullable Key next = from.keyOrNull();
		int count = count(from, PeerComparison.MAX_HEADERS);
		List<Header> headers = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			headers.add(header(from));
		}
		return new HeaderPage(headers, next);
	}

	private static Header header(MessageReader from) {
		return new Header(from.key(), from.summary(), 0);
	}

	private static int count(MessageReader from, int limit) {
		int count = from.readInt();
		if (count < 0 || count > limit) {
			throw new MalformedMessageException("a count of %d, at most %d is taken".formatted(count, limit));
		}
		return count;
	}

}
