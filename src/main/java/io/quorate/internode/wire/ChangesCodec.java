package io.quorate.internode.wire;

import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.ScanRange;
import io.quorate.replica.ChangesRequest;
import io.quorate.storage.Arrivals;

/**
 * The encoding of the messages about arrivals. Request:
 * {@code epoch 8 | after 8 | wait ms 4 | count 1 | (start key | optional end key)*}.
 * Reply: {@code epoch 8 | through 8 | flags 1 | count 4 | arrival*}. Arrival:
 * {@code key | sequence 8 | certain 1 | summary} that no newer entry is held.
 */
final class ChangesCodec {

	private static final int GAP = 1;

	private static final int MORE = 2;

	private ChangesCodec() {
	}

	static int size(ChangesRequest request) {
		return 2 * Long.BYTES + Integer.BYTES + 1
				+ request.ranges()
					.ranges()
					.stream()
					.mapToInt((range) -> MessageWriter.sizeOf(range.start()) + MessageWriter.sizeOf(range.end()))
					.sum();
	}

	static void write(ChangesRequest request, MessageWriter to) {
		List<ScanRange> ranges = request.ranges().ranges();
		to.putLong(request.epoch()).putLong(request.after()).putInt(request.waitMillis()).put(ranges.size());
		ranges.forEach((range) -> to.put(range.start()).put(range.end()));
	}

	static Request.Changes request(MessageReader from) {
		long epoch = from.readLong();
		long after = from.readLong();
		int waitMillis = from.readInt();
		int count = from.octet();
		List<ScanRange> ranges = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			ranges.add(ScanRange.ascending(from.key(), from.keyOrNull()));
		}
		return new Request.Changes(new ChangesRequest(new KeyRanges(ranges), epoch, after, waitMillis));
	}

	static int size(Arrivals.Page page) {
		return 2 * Long.BYTES + 1 + Integer.BYTES + page.names().stream().mapToInt(ChangesCodec::size).sum();
	}

	private static int size(Arrivals.Name name) {
		return MessageWriter.sizeOf(name.key()) + Long.BYTES + 1 + MessageWriter.sizeOf(name.summary());
	}

	static void write(Arrivals.Page page, MessageWriter to) {
		to.putLong(page.epoch())
			.putLong(page.through())
			.put((page.isGap() ? GAP : 0) | (page.hasMore() ? MORE : 0))
			.putInt(page.names().size());
		for (Arrivals.Name name : page.names()) {
			to.put(name.key()).putLong(name.sequence()).put(name.isCertain()).put(name.summary());
		}
	}

	static Reply.Changed reply(MessageReader from) {
		long epoch = from.readLong();
		long through = from.readLong();
		int flags = from.octet();
		if ((flags & ~(GAP | MORE)) != 0) {
			throw new MalformedMessageException("unknown flags of arrivals %#x".formatted(flags));
		}
		int count = from.readInt();
		if (count < 0 || count > ChangesRequest.MOST_NAMES) {
			throw new MalformedMessageException(
					"a count of %d, at most %d is taken".formatted(count, ChangesRequest.MOST_NAMES));
		}
		List<Arrivals.Name> names = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Key key = from.key();
			long sequence = from.readLong();
			boolean isCertain = from.flag();
			names.add(new Arrivals.Name(key, sequence, from.summary(), isCertain));
		}
		return new Reply.Changed(new Arrivals.Page(names, epoch, through, (flags & GAP) != 0, (flags & MORE) != 0));
	}

}
