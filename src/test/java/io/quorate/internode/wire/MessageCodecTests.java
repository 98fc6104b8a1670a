package io.quorate.internode.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.quorate.clock.Timestamp;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.entry.Condition;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.Lineage;
import io.quorate.entry.RandomContentTypes;
import io.quorate.entry.RandomLineages;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.reports.Program;
import io.quorate.meter.TraceContext;
import io.quorate.replica.ChangesRequest;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.Origin;
import io.quorate.replica.PageRequest;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import io.quorate.storage.Arrivals;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Messages that are read as they were written, and other bytes, which are refused. */
class MessageCodecTests {

	private static final int[] SIZES = { 0, 1, 100, 4000, 65_536, 65_537, 200_000 };

	private static final List<Reason> REASONS = List.of(Reason.values());

	private static final int MOST_VERSIONS = 33;

	/* Behind the head of a request. */
	private static final int VERSION_AT = 1 + Integer.BYTES + Long.BYTES + Timestamp.SIZE_BYTES;

	private final Budget budget = new Budget(Long.MAX_VALUE);

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void requestsAreReadAsTheyWereWritten(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 200; i++) {
			Request request = request(random);
			boolean mayHaveFields = !(request instanceof Request.Hello);
			Request.Envelope envelope = new Request.Envelope(random.nextInt(), random.nextLong(), timestamp(random),
					(mayHaveFields && random.nextBoolean()) ? trace(random) : null,
					(mayHaveFields && random.nextBoolean()) ? random.nextLong() : Layout.FIRST, request);
			byte[] bytes = bytes(RequestCodec.encode(envelope));
			assertThat(RequestCodec.decode(Unpooled.wrappedBuffer(bytes))).as("seed %d", seed).isEqualTo(envelope);
			if (envelope.trace() == null && envelope.layout() == Layout.FIRST
					&& request instanceof Request.Apply apply) {
				assertThat(RequestCodec.size(apply)).isEqualTo(bytes.length);
			}
			if (envelope.trace() == null && envelope.layout() == Layout.FIRST
					&& request instanceof Request.HandOver handOver) {
				assertThat(RequestCodec.size(handOver)).isEqualTo(bytes.length);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void repliesAreReadAsTheyWereWritten(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 200; i++) {
			Reply.Envelope envelope = new Reply.Envelope(timestamp(random), reply(random));
			byte[] bytes = bytes(ReplyCodec.encode(envelope));
			assertThat(ReplyCodec.decode(Unpooled.wrappedBuffer(bytes))).as("seed %d", seed).isEqualTo(envelope);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void damagedMessagesAreRefusedAndNothingElseHappens(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 500; i++) {
			byte[] bytes = bytes(
					RequestCodec.encode(new Request.Envelope(1, 2, timestamp(random), trace(random), request(random))));
			int size = random.nextInt(bytes.length);
			assertThatExceptionOfType(MalformedMessageException.class).as("seed %d", seed)
				.isThrownBy(() -> RequestCodec.decode(Unpooled.wrappedBuffer(bytes, 0, size)));
			bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
			decodeOrRefuse(bytes, (from) -> RequestCodec.decode(from));
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void damagedRepliesAreRefusedAndNothingElseHappens(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 500; i++) {
			byte[] bytes = bytes(ReplyCodec.encode(new Reply.Envelope(timestamp(random), reply(random))));
			int size = random.nextInt(bytes.length);
			assertThatExceptionOfType(MalformedMessageException.class).as("seed %d", seed)
				.isThrownBy(() -> ReplyCodec.decode(Unpooled.wrappedBuffer(bytes, 0, size)));
			bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
			decodeOrRefuse(bytes, (from) -> ReplyCodec.decode(from));
		}
	}

	@Test
	void summaryThatCannotBeIsRefused() {
		Summary summary = new Summary(Timestamp.ZERO, false, 3, Entry.NEVER, 5);
		byte[] bytes = bytes(ReplyCodec.encode(new Reply.Envelope(Timestamp.ZERO, new Reply.Summarized(summary))));
		int flags = bytes.length - MessageWriter.sizeOf(summary);
		bytes[flags] = MessageWriter.TOMBSTONE;
		assertRefused(bytes, "a tombstone of 5 bytes");
		bytes[flags] = 4;
		assertRefused(bytes, "unknown flags 0x4");
		bytes[flags] = 0;
		bytes[bytes.length - 4] = (byte) 0x80;
		assertRefused(bytes, "bytes");
	}

	@Test
	void unknownFlagsOfAPageAreRefused() {
		PageRequest page = new PageRequest(ScanRange.descending(Key.of("a"), Key.of("b")), new PageLimit(1, 2, 3),
				true);
		byte[] bytes = bytes(
				RequestCodec.encode(new Request.Envelope(1, 2, Timestamp.ZERO, null, new Request.Page(page, 4))));
		int flags = bytes.length - 2 * (Short.BYTES + 1) - 1;
		assertThat(bytes[flags]).isEqualTo((byte) 3);
		bytes[flags] = 11;
		assertThatExceptionOfType(MalformedMessageException.class)
			.isThrownBy(() -> RequestCodec.decode(Unpooled.wrappedBuffer(bytes)))
			.withMessageContaining("unknown flags of a page 0xb");
	}

	@Test
	void rangesThatAreNotApartAreRefused() {
		KeyRanges ranges = KeyRanges
			.of(List.of(ScanRange.ascending(Key.of("a"), Key.of("b")), ScanRange.ascending(Key.of("c"), Key.of("d"))));
		byte[] bytes = bytes(RequestCodec.encode(new Request.Envelope(1, 2, Timestamp.ZERO, null,
				new Request.Changes(new ChangesRequest(ranges, 1, 2, 3)))));
		bytes[bytes.length - 4] = 'b';
		assertThatExceptionOfType(MalformedMessageException.class)
			.isThrownBy(() -> RequestCodec.decode(Unpooled.wrappedBuffer(bytes)))
			.withMessageContaining("not apart");
	}

	@Test
	void moreArrivalsThanAReplyHasAreRefused() {
		Arrivals.Name name = new Arrivals.Name(Key.of("a"), 1, new Summary(Timestamp.ZERO, true, 0, Entry.NEVER, 0));
		byte[] most = changed(Collections.nCopies(ChangesRequest.MOST_NAMES, name));
		assertThat(ReplyCodec.decode(Unpooled.wrappedBuffer(most)).reply()).isInstanceOf(Reply.Changed.class);
		assertRefused(changed(Collections.nCopies(ChangesRequest.MOST_NAMES + 1, name)), "a count of 1025");
	}

	private byte[] changed(List<Arrivals.Name> names) {
		return bytes(ReplyCodec
			.encode(new Reply.Envelope(Timestamp.ZERO, new Reply.Changed(new Arrivals.Page(names, 1, 2, false)))));
	}

	/* So no reply with arrivals is asked for a second time. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void theLongestReplyWithArrivalsIsNoLargeMessage(long seed) {
		Random random = new Random(seed);
		for (int longest : new int[] { 1, 20, Key.MAX_SIZE_BYTES }) {
			List<Arrivals.Name> names = Stream.generate(() -> arrival(random))
				.filter((name) -> name.key().size() <= longest || longest == 1)
				.limit(ChangesRequest.MOST_NAMES)
				.map((name) -> (longest > 1) ? name
						: new Arrivals.Name(Key.of("a"), name.sequence(), name.summary(), name.isCertain()))
				.toList();
			Arrivals.Page page = new Arrivals.Page(names, 1, 2, false).upTo(ChangesRequest.MOST_BYTES);
			Message message = ReplyCodec.encode(new Reply.Envelope(Timestamp.ZERO, new Reply.Changed(page)));
			assertThat(message.size()).isLessThan(Wire.LARGE_BYTES);
		}
	}

	@Test
	void aContentTypeThatCannotBeIsRefused() {
		Entry entry = new Entry.Live(Timestamp.ZERO, 3, Entry.NEVER, Value.EMPTY, ContentType.of("a/b"));
		byte[] bytes = bytes(ReplyCodec.encode(new Reply.Envelope(Timestamp.ZERO, new Reply.Found(entry))));
		int flags = bytes.length - MessageWriter.sizeOf(entry);
		assertRefused(bytes.clone(), flags, MessageWriter.TYPED | MessageWriter.TOMBSTONE, "a tombstone with");
		int length = bytes.length - Integer.BYTES - 4;
		assertRefused(bytes.clone(), length, 0, "1 to 255 bytes, not 0");
		assertRefused(bytes.clone(), length, 255, "255 bytes expected, 7 there");
		assertRefused(bytes.clone(), length + 2, '\n', "byte 0xa");
	}

	private static void assertRefused(byte[] bytes, int place, int octet, String because) {
		bytes[place] = (byte) octet;
		assertRefused(bytes, because);
	}

	private static void assertRefused(byte[] bytes, String because) {
		assertThatExceptionOfType(MalformedMessageException.class)
			.isThrownBy(() -> ReplyCodec.decode(Unpooled.wrappedBuffer(bytes)))
			.withMessageContaining(because);
	}

	@Test
	void sizeOfWhatIsLeftOutIsThatOfTheLongestReplyWithIt() {
		Random random = new Random(4);
		for (int i = 0; i < 50; i++) {
			if (entry(random) instanceof Entry.Live live) {
				ContentType type = live.contentType();
				int room = 1 + ContentType.MAX_SIZE_BYTES - ((type != null) ? 1 + type.size() : 0);
				Message whole = ReplyCodec.encode(new Reply.Envelope(timestamp(random), new Reply.Found(live)));
				assertThat(ReplyCodec.sizeOfFound(Summary.of(live))).isEqualTo(whole.size() + room);
			}
		}
	}

	@Test
	void lengthBeyondTheMessageAllocatesNothing() {
		Request.Apply apply = new Request.Apply(Key.of("key"),
				new Entry.Live(Timestamp.ZERO, 1, Entry.NEVER, Value.wrap(new byte[4])), Origin.CLIENT);
		byte[] bytes = bytes(RequestCodec.encode(new Request.Envelope(1, 2, Timestamp.ZERO, null, apply)));
		bytes[bytes.length - 8] = 0x7f;
		assertThatExceptionOfType(MalformedMessageException.class)
			.isThrownBy(() -> RequestCodec.decode(Unpooled.wrappedBuffer(bytes)))
			.withMessageContaining("4 there");
	}

	@Test
	void unknownOriginIsRefused() {
		Request.Apply apply = new Request.Apply(Key.of("key"), new Entry.Tombstone(Timestamp.ZERO, 1), Origin.HINT);
		byte[] bytes = bytes(RequestCodec.encode(new Request.Envelope(1, 2, Timestamp.ZERO, null, apply)));
		bytes[bytes.length - RequestCodec.size(apply) + 27] = 9;
		assertThatExceptionOfType(MalformedMessageException.class)
			.isThrownBy(() -> RequestCodec.decode(Unpooled.wrappedBuffer(bytes)))
			.withMessageContaining("unknown origin 9");
	}

	@Test
	void aHandshakeThatIsTooOldTellsItsVersionAlone() {
		byte[] hello = hello(Handshakes.ofOldest(new LocalNode("n", "c", 1, new UUID(1, 2)), "m"));
		ByteBuffer.wrap(hello).putInt(VERSION_AT, Wire.OLDEST_VERSION - 1);
		assertThat(handshake(hello)).isEqualTo(Handshake.ofVersions(Versions.of(Wire.OLDEST_VERSION - 1)));
	}

	@Test
	void aHandshakeOfALaterVersionIsReadWithoutItsUnknownFields() {
		Handshake sent = new Handshake(99, new Versions(98, 99),
				new Handshake.Sender(new LocalNode("n", "c", 1, new UUID(1, 2)), 3, true, new Program("3.0", 7, 8)),
				"m", new Handshake.Statuses(DataStatus.EMPTY, LastKnownStatus.NONE), new LayoutReport(4, 5));
		byte[] hello = hello(sent);
		assertThat(handshake(hello)).isEqualTo(sent);
		int fields = Fields.of(sent).size();
		byte[] longer = Arrays.copyOf(hello, hello.length + 5);
		ByteBuffer.wrap(longer)
			.putShort(hello.length - fields, (short) (fields - Short.BYTES + 5))
			.put(hello.length, new byte[] { (byte) 200, 3, 1, 2, 3 });
		assertThat(handshake(longer)).isEqualTo(sent);
	}

	@Test
	void unknownFieldsAreSkippedAndFieldsCutOffAreRefused() {
		byte[] bytes = bytes(ReplyCodec.encode(new Reply.Envelope(Timestamp.ZERO, new Reply.Absent())));
		byte[] unknown = Arrays.copyOf(bytes, bytes.length + 4);
		ByteBuffer.wrap(unknown).putShort(bytes.length - 2, (short) 4).put(bytes.length, new byte[] { 99, 2, 5, 6 });
		assertThat(ReplyCodec.decode(Unpooled.wrappedBuffer(unknown)).reply()).isEqualTo(new Reply.Absent());
		unknown[bytes.length + 1] = 3;
		assertThatExceptionOfType(MalformedMessageException.class)
			.isThrownBy(() -> ReplyCodec.decode(Unpooled.wrappedBuffer(unknown)));
	}

	private byte[] hello(Handshake handshake) {
		return bytes(
				RequestCodec.encode(new Request.Envelope(1, 2, Timestamp.ZERO, null, new Request.Hello(handshake))));
	}

	private static Handshake handshake(byte[] bytes) {
		Request read = RequestCodec.decode(Unpooled.wrappedBuffer(bytes)).request();
		assertThat(read).isInstanceOf(Request.Hello.class);
		return ((Request.Hello) read).handshake();
	}

	private static TraceContext trace(Random random) {
		return new TraceContext(random.nextLong(), random.nextLong(), random.nextLong());
	}

	private static Program program(Random random) {
		return new Program("1.%d ü".formatted(random.nextInt(100)), random.nextInt(256), random.nextInt(256));
	}

	private static void decodeOrRefuse(byte[] bytes, Consumer<ByteBuf> decode) {
		try {
			decode.accept(Unpooled.wrappedBuffer(bytes));
		}
		catch (MalformedMessageException refused) {
			assertThat(refused).hasMessageMatching("(?s).+");
		}
	}

	private byte[] bytes(Message message) {
		this.budget.take(message.cost());
		Outgoing outgoing = message.outgoing(ByteBufAllocator.DEFAULT, this.budget);
		assertThat(outgoing.size()).isEqualTo(message.size());
		assertThat(this.budget.taken()).isEqualTo(message.cost()).isGreaterThan(message.size());
		byte[] bytes = SentMessages.taken(outgoing).array();
		assertThat(this.budget.taken()).isZero();
		return bytes;
	}

	private static PageRequest pageRequest(Random random) {
		ScanRange range = new ScanRange(key(random), random.nextBoolean() ? key(random) : null, random.nextBoolean());
		boolean isHeadersOnly = random.nextBoolean();
		return new PageRequest(range,
				new PageLimit(1 + random.nextInt(9), 1 + random.nextInt(9), 1 + random.nextInt(9)), isHeadersOnly,
				(isHeadersOnly && random.nextBoolean()) ? random.nextLong(Long.MAX_VALUE) : 0);
	}

	private static Request request(Random random) {
		return switch (random.nextInt(15)) {
			case 13, 14 -> new Request.Changes(
					new ChangesRequest(ranges(random), random.nextLong(), random.nextLong(), random.nextInt()));
			case 8 -> new Request.Prepare(key(random),
					new Proposal(timestamp(random), timestamp(random), condition(random), random.nextLong()));
			case 9 -> new Request.Look(key(random), random.nextInt(), random.nextInt());
			case 10 -> new Request.Release(key(random), timestamp(random));
			case 11, 12 -> new Request.HandOver(key(random), new Handover(condition(random), random.nextInt(),
					random.nextLong(Long.MAX_VALUE), random.nextBoolean() ? entry(random) : null), random.nextInt());
			case 7 -> new Request.Introduce("n%d@höst:1".formatted(random.nextInt()));
			case 6 -> new Request.Silence("n" + random.nextInt());
			case 5 -> layout(random);
			case 0 -> new Request.Hello(handshake(random));
			case 1 -> new Request.Ping(random.nextLong(), dataStatus(random));
			case 2 -> new Request.Apply(key(random), entry(random), origin(random));
			case 3 -> new Request.Read(key(random), random.nextInt(), random.nextInt());
			default -> new Request.Page(pageRequest(random), random.nextInt());
		};
	}

	private static KeyRanges ranges(Random random) {
		return KeyRanges
			.of(Stream.generate(() -> ScanRange.ascending(key(random), (random.nextInt(99) == 0) ? null : key(random)))
				.limit(random.nextInt(100))
				.toList());
	}

	private static Arrivals.Name arrival(Random random) {
		return new Arrivals.Name(key(random), random.nextLong(), Summary.of(entry(random)), random.nextBoolean());
	}

	private static Condition condition(Random random) {
		Condition condition = new Condition(versions(random), versions(random));
		return random.nextBoolean() ? condition
				: condition.once(new IdempotencyKey(random.nextLong(), random.nextLong()));
	}

	private static Condition.@Nullable Versions versions(Random random) {
		return switch (random.nextInt(3)) {
			case 0 -> null;
			case 1 -> Condition.Versions.ANY;
			default -> Condition.Versions
				.of(Stream.generate(() -> timestamp(random)).limit(random.nextInt(MOST_VERSIONS)).toList());
		};
	}

	private static Request.Layout layout(Random random) {
		Ballot ballot = new Ballot(random.nextInt(9), new UUID(random.nextLong(), random.nextLong()));
		return new Request.Layout(switch (random.nextInt(4)) {
			case 0 -> new io.quorate.consensus.Request.Get(random.nextLong());
			case 1 -> new io.quorate.consensus.Request.Prepare(decision(random), ballot);
			case 2 -> new io.quorate.consensus.Request.Accept(decision(random), ballot, decision(random).decree());
			default -> new io.quorate.consensus.Request.Learn(decision(random));
		});
	}

	private static Decision decision(Random random) {
		byte[] bytes = new byte[random.nextInt(100)];
		random.nextBytes(bytes);
		return new Decision(1 + random.nextInt(99), Decree.copyOf(bytes));
	}

	private static @Nullable LayoutReport layoutVersion(Random random) {
		return random.nextBoolean() ? null : new LayoutReport(new LayoutVersion(random.nextLong(), random.nextLong()),
				random.nextBoolean() ? 0 : random.nextLong(), random.nextBoolean() ? null : data(random));
	}

	private static MemberData data(Random random) {
		return new MemberData(random.nextLong(), random.nextLong(), random.nextLong(), random.nextBoolean(),
				new Moved(random.nextLong(Long.MAX_VALUE), random.nextInt(Moved.ALL + 1),
						random.nextLong(Long.MAX_VALUE), random.nextLong(Long.MAX_VALUE)));
	}

	private static Origin origin(Random random) {
		return switch (random.nextInt(3)) {
			case 0 -> Origin.CLIENT;
			case 1 -> Origin.HINT;
			default -> new Origin.Stream(random.nextLong());
		};
	}

	private static Reply reply(Random random) {
		return switch (random.nextInt(22)) {
			case 20, 21 -> new Reply.Changed(
					new Arrivals.Page(Stream.generate(() -> arrival(random)).limit(random.nextInt(9)).toList(),
							random.nextLong(), random.nextLong(), random.nextBoolean(), random.nextBoolean()));
			case 14, 15 -> new Reply.Prepared(prepared(random), random.nextLong());
			case 16, 17 -> new Reply.Looked(new LookReply(looked(random), timestampOrNull(random)));
			case 18 -> new Reply.Released();
			case 19 -> new Reply.HandedOver(handedOver(random));
			case 13 -> new Reply.Promised(timestamp(random), position(random));
			case 12 -> new Reply.Introduced(random.nextBoolean() ? "" : "wird anderswo getröffen");
			case 11 -> new Reply.Silence(random.nextLong());
			case 10 -> new Reply.Layout(new Answer.Later(Decisions.of(decision(random))));
			case 0 -> new Reply.Welcome(handshake(random));
			case 1 -> new Reply.Pong(random.nextLong(), random.nextBoolean(), dataStatus(random), program(random),
					layoutVersion(random));
			case 2 -> new Reply.Applied(random.nextBoolean(), position(random));
			case 3 ->
				new Reply.Superseded(timestamp(random), random.nextBoolean(), random.nextBoolean(), position(random));
			case 4 -> new Reply.Found(entry(random));
			case 5 -> new Reply.Absent();
			case 6 -> new Reply.TooLarge(random.nextInt());
			case 7 -> new Reply.Failed(new Failure(reason(random), "wörd"));
			case 8 -> new Reply.Summarized(Summary.of(entry(random)));
			default -> page(random);
		};
	}

	private static PrepareReply prepared(Random random) {
		Summary held = random.nextBoolean() ? Summary.of(entry(random)) : null;
		return switch (random.nextInt(4)) {
			case 0 -> new PrepareReply.Promised(held);
			case 1 -> new PrepareReply.Unmet(held, timestampOrNull(random));
			case 2 -> new PrepareReply.Superseded(timestamp(random));
			default -> new PrepareReply.Busy(random.nextInt());
		};
	}

	private static ReadReply looked(Random random) {
		return switch (random.nextInt(3)) {
			case 0 -> new ReadReply.Absent();
			case 1 -> new ReadReply.Summarized(Summary.of(entry(random)));
			default -> new ReadReply.Found(entry(random));
		};
	}

	private static HandoverReply handedOver(Random random) {
		return switch (random.nextInt(8)) {
			case 7 -> new HandoverReply.Touched(timestamp(random), random.nextLong());
			case 0 -> new HandoverReply.Written(timestamp(random));
			case 5 -> new HandoverReply.Replayed(timestamp(random), timestampOrNull(random));
			case 6 -> HandoverReply.Reused.INSTANCE;
			case 3 -> new HandoverReply.Found(entry(random));
			case 1 -> new HandoverReply.Unmet(timestampOrNull(random), timestampOrNull(random), random.nextBoolean());
			case 2 -> new HandoverReply.Contended(random.nextInt());
			default ->
				new HandoverReply.Undecided("unknöwn", timestampOrNull(random), random.nextInt(), random.nextInt(),
						Stream.generate(() -> new HandoverReply.Said("nöde" + random.nextInt(), "ack"))
							.limit(random.nextInt(9))
							.toList());
		};
	}

	private static @Nullable Timestamp timestampOrNull(Random random) {
		return random.nextBoolean() ? timestamp(random) : null;
	}

	private static Reply.Page page(Random random) {
		List<ScanPage.Item> items = new ArrayList<>();
		for (int i = random.nextInt(4); i > 0; i--) {
			items.add(new ScanPage.Item(key(random), entry(random)));
		}
		return new Reply.Page(new ScanPage(items, random.nextBoolean() ? key(random) : null));
	}

	private static Handshake handshake(Random random) {
		LocalNode node = new LocalNode("node-" + random.nextInt(), "cluster", random.nextLong(),
				new UUID(random.nextLong(), random.nextLong()));
		LastKnownStatus known = new LastKnownStatus(new UUID(random.nextLong(), random.nextLong()), position(random),
				random.nextLong(), random.nextBoolean(), random.nextLong());
		Versions versions = new Versions(random.nextInt(100), 100 + random.nextInt(100));
		return new Handshake(Wire.VERSION, versions,
				new Handshake.Sender(node, random.nextLong(), random.nextBoolean(), program(random)), "other",
				new Handshake.Statuses(dataStatus(random), known), layoutVersion(random));
	}

	private static DataStatus dataStatus(Random random) {
		return new DataStatus(position(random), random.nextBoolean(),
				new DataStatus.Incarnation(random.nextLong(), random.nextLong(), random.nextBoolean()),
				random.nextLong(), random.nextLong(), random.nextLong());
	}

	private static Position position(Random random) {
		return new Position(random.nextLong(), random.nextLong(), random.nextLong());
	}

	private static Key key(Random random) {
		byte[] bytes = new byte[1 + random.nextInt(Key.MAX_SIZE_BYTES)];
		random.nextBytes(bytes);
		return Key.wrap(bytes);
	}

	private static Entry entry(Random random) {
		Timestamp timestamp = timestamp(random);
		Lineage lineage = RandomLineages.next(random, timestamp);
		if (random.nextInt(4) == 0) {
			return new Entry.Tombstone(timestamp, random.nextInt(256), lineage);
		}
		byte[] bytes = new byte[SIZES[random.nextInt(SIZES.length)]];
		random.nextBytes(bytes);
		long expiry = random.nextBoolean() ? Entry.NEVER : random.nextLong(Entry.NEVER);
		ContentType type = RandomContentTypes.next(random);
		return new Entry.Live(timestamp, random.nextInt(256), expiry, Value.wrap(bytes), type, lineage);
	}

	private static Timestamp timestamp(Random random) {
		return new Timestamp(random.nextLong(), random.nextInt());
	}

	private static Reason reason(Random random) {
		return REASONS.get(random.nextInt(REASONS.size()));
	}

}
