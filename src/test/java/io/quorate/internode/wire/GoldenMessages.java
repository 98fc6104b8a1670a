package io.quorate.internode.wire;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.quorate.clock.Timestamp;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Ballot;
import io.quorate.consensus.Decision;
import io.quorate.consensus.Decisions;
import io.quorate.consensus.Decree;
import io.quorate.consensus.Vote;
import io.quorate.consensus.Voter;
import io.quorate.entry.Condition;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Key;
import io.quorate.entry.KeyRanges;
import io.quorate.entry.Lineage.Repeatable;
import io.quorate.entry.Lineage;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.internode.DataStatus;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.Position;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.reports.MemberProcesses.ProcessName;
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
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.replica.comparison.Round;
import io.quorate.storage.Arrivals;
import io.quorate.storage.HeaderPage.Header;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;

/**
 * The messages of the golden files, by their names there. No two fields of a message have
 * the same value, so that a codec cannot confuse them.
 */
final class GoldenMessages {

	private static final Timestamp STAMP = new Timestamp(0x0192_f3a4_b5c6_0007L, 0x8899_aabb);

	private static final Timestamp WRITTEN = new Timestamp(0x0192_f3a4_0000_ffffL, 0x0102_0304);

	private static final long EXPIRY = 0x0000_0193_1122_3344L;

	private static final Key KEY = Key.of("key/ä");

	private static final Key END = Key.of("z");

	private static final Round ROUND = new Round(0x1112_1314_1516_1718L, 0x2122_2324_2526_2728L);

	private static final Position POSITION = new Position(0x3132_3334_3536_3738L, 0x4142_4344_4546_4748L,
			0x5152_5354_5556_5758L);

	private static final UUID STORAGE = new UUID(0x6162_6364_6566_6768L, 0x7172_7374_7576_7778L);

	private static final DataStatus STATUS = new DataStatus(POSITION, true,
			new DataStatus.Incarnation(0x0a01_0a02_0a03_0a04L, 0x0b01_0b02_0b03_0b04L, false), 0x0c01_0c02_0c03_0c04L,
			0x0d01_0d02_0d03_0d04L, 0x0e01_0e02_0e03_0e04L);

	private static final LastKnownStatus LAST_KNOWN = new LastKnownStatus(
			new UUID(0x1a1b_1c1d_1e1f_2a2bL, 0x2c2d_2e2f_3a3b_3c3dL), new Position(0x4a4b_4c4dL, 0x5a5b_5c5dL, 0x6a6bL),
			0x7a7b_7c7dL, true, 0x0f01_0f02L);

	private static final Entry VALUE = new Entry.Live(WRITTEN, 3, Entry.NEVER, value("in place"));

	private static final Entry EXPIRING = new Entry.Live(WRITTEN, 5, EXPIRY, value("for a while"));

	private static final Entry EMPTY = new Entry.Live(WRITTEN, 1, Entry.NEVER, Value.EMPTY);

	private static final Entry TYPED = new Entry.Live(WRITTEN, 4, Entry.NEVER, value("{}"),
			ContentType.of("application/json"));

	private static final Entry TYPED_EXPIRING = new Entry.Live(WRITTEN, 4, EXPIRY, value("text"),
			ContentType.of("text/plain; charset=utf-8"));

	private static final Entry DESCENDED = new Entry.Live(WRITTEN, 3, Entry.NEVER, value("created"), null,
			new Lineage(WRITTEN, Timestamp.ZERO));

	private static final Entry CARRIED_ON = new Entry.Live(WRITTEN, 4, EXPIRY, value("text"),
			ContentType.of("text/plain; charset=utf-8"),
			new Lineage(new Timestamp(0x0192_f3a4_0000_fffeL, 0x0506_0708), null));

	private static final IdempotencyKey ONCE = new IdempotencyKey(0x0102_0304_0506_0708L, 0x1112_1314_1516_1718L);

	private static final Entry REPEATABLE = new Entry.Tombstone(WRITTEN, 2, new Lineage(WRITTEN, Timestamp.ZERO,
			List.of(new Repeatable(ONCE, WRITTEN), new Repeatable(new IdempotencyKey(-1, 0), Timestamp.ZERO))));

	private static final Entry CARRIED_ON_TOMBSTONE = new Entry.Tombstone(WRITTEN, 2, new Lineage(
			new Timestamp(0x0192_f3a4_0000_fffeL, 0x0506_0708), new Timestamp(0x0192_f3a4_0000_fffdL, 0x090a_0b0c)));

	private static final Entry TOMBSTONE = new Entry.Tombstone(WRITTEN, 255);

	private static final Timestamp NAMED = new Timestamp(0x0192_f3a4_0000_fffcL, 0x0d0e_0f10);

	private static final Timestamp OTHER = new Timestamp(0x0192_f3a4_0000_fffbL, 0x1112_1314);

	private static final Condition BOTH = new Condition(Condition.Versions.of(List.of(NAMED)),
			Condition.Versions.of(List.of(OTHER)));

	private static final ComparisonStart START = new ComparisonStart(STORAGE, 0x0809_0a0b_0c0d_0e0fL, WRITTEN);

	private static final Ballot BALLOT = new Ballot(0x0506, new UUID(0x7a7b_7c7dL, 0x8a8b_8c8dL));

	private static final Decision BASE = new Decision(7, Decree.copyOf(new byte[] { 0x41, 0x42 }));

	private static final Decree DECREE = Decree.copyOf(new byte[] { 0x43 });

	private static final Voter VOTER = new Voter("node-a", STORAGE);

	private GoldenMessages() {
	}

	private static Value value(String text) {
		return Value.wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	/** Requests, each type at least once. */
	static Map<String, Request.Envelope> requests() {
		Map<String, Request> requests = new LinkedHashMap<>();
		requests.put("hello", new Request.Hello(handshake()));
		requests.put("ping", new Request.Ping(0x0000_0192_f3a4_b5c6L, STATUS));
		requests.put("apply-client", new Request.Apply(KEY, VALUE, Origin.CLIENT));
		requests.put("apply-hint", new Request.Apply(KEY, EXPIRING, Origin.HINT));
		requests.put("apply-stream", new Request.Apply(KEY, TOMBSTONE, new Origin.Stream(0x1718_191a_1b1c_1d1eL)));
		requests.put("apply-repair", new Request.Apply(KEY, EMPTY, Origin.REPAIR));
		requests.put("read", new Request.Read(KEY, 0x0001_0203, 0x0004_0506));
		PageLimit limit = new PageLimit(0x0102, 0x0003_0405, 0x0607);
		ScanRange range = ScanRange.ascending(KEY, END);
		requests.put("page", new Request.Page(new PageRequest(range, limit, false), 0x0008_090a));
		requests.put("page-without-end",
				new Request.Page(new PageRequest(ScanRange.ascending(KEY, null), new PageLimit(1, 2, 3), false), 4));
		ScanRange descending = ScanRange.descending(KEY, END);
		requests.put("page-headers", new Request.Page(new PageRequest(range, limit, true), 0x0008_090a));
		requests.put("page-descending", new Request.Page(new PageRequest(descending, limit, false), 0x0008_090a));
		requests.put("page-headers-descending",
				new Request.Page(new PageRequest(ScanRange.descending(KEY, null), limit, true), 0x0008_090a));
		requests.put("begin", new Request.Begin(ROUND, START));
		requests.put("compare", new Request.Compare(ROUND, List.of(new RangeHash(KEY, Key.of("m"), 0x0102_0304L, 7),
				new RangeHash(Key.of("m"), Key.of("o"), -2L, 8), new RangeHash(Key.of("p"), null, 0x0506L, 9))));
		requests.put("headers", new Request.Headers(ROUND, KEY, END, 0x0001_0203));
		requests.put("headers-without-end", new Request.Headers(ROUND, KEY, null, 0x0001_0203));
		requests.put("fetch", new Request.Fetch(ROUND, List.of(KEY, END), 0x0001_0203));
		requests.put("complete", new Request.Complete(ROUND));
		requests.put("apply-typed", new Request.Apply(KEY, TYPED, Origin.CLIENT));
		requests.put("apply-typed-expiring", new Request.Apply(KEY, TYPED_EXPIRING, Origin.REPAIR));
		requests.put("apply-descended", new Request.Apply(KEY, DESCENDED, Origin.CLIENT));
		requests.put("apply-carried-on", new Request.Apply(KEY, CARRIED_ON, Origin.REPAIR));
		requests.put("apply-carried-on-tombstone", new Request.Apply(KEY, CARRIED_ON_TOMBSTONE, Origin.HINT));
		requests.put("prepare", prepare(Condition.NONE));
		requests.put("prepare-match", prepare(new Condition(BOTH.match(), null)));
		requests.put("prepare-once", prepare(BOTH.once(ONCE)));
		requests.put("prepare-match-any", prepare(new Condition(Condition.Versions.ANY, null)));
		requests.put("prepare-none-match", prepare(new Condition(null, BOTH.noneMatch())));
		requests.put("prepare-absent", prepare(Condition.ABSENT));
		requests.put("prepare-both", prepare(BOTH));
		requests.put("look", new Request.Look(KEY, 0x0001_0203, 0x0004_0506));
		requests.put("page-headers-above",
				new Request.Page(new PageRequest(range, limit, true, 0x0708_090a_0b0c_0d0eL), 0x0008_090a));
		requests.put("changes",
				new Request.Changes(new ChangesRequest(
						KeyRanges.of(List.of(ScanRange.ascending(KEY, Key.of("m")), ScanRange.ascending(END, null))),
						0x0102_0304_0506_0708L, 0x1112_1314_1516_1718L, 0x0304)));
		requests.put("changes-from-now",
				new Request.Changes(new ChangesRequest(KeyRanges.NONE, 0x0102_0304_0506_0708L, Arrivals.NOW, 0)));
		requests.put("release", new Request.Release(KEY, WRITTEN));
		requests.put("hand-over", new Request.HandOver(KEY, new Handover(BOTH, 2, 0x0708_090aL, TYPED), 0));
		requests.put("hand-over-read", new Request.HandOver(KEY, Handover.read(2), 0x0102_0304));
		requests.put("hand-over-tombstone",
				new Request.HandOver(KEY, new Handover(Condition.ABSENT, 0, 0, TOMBSTONE), 0));
		requests.put("layout-get", new Request.Layout(new io.quorate.consensus.Request.Get(0x0102)));
		requests.put("layout-prepare", new Request.Layout(new io.quorate.consensus.Request.Prepare(BASE, BALLOT)));
		requests.put("layout-accept",
				new Request.Layout(new io.quorate.consensus.Request.Accept(BASE, BALLOT, DECREE)));
		requests.put("layout-decided", new Request.Layout(new io.quorate.consensus.Request.Learn(BASE)));
		requests.put("silence", new Request.Silence("node-c"));
		requests.put("introduce", new Request.Introduce("node-d@höst:7100/z"));
		requests.put("join", new Request.Join(handshake(), "node-c@höst:7100/z"));
		Map<String, Request.Envelope> envelopes = new LinkedHashMap<>();
		requests.forEach((name, request) -> envelopes.put("request." + name,
				new Request.Envelope(0x0000_1388, 0x0001_0203_0405_0607L, STAMP, trace(request), request)));
		envelopes.put("request.read-planned", new Request.Envelope(0x0000_1388, 0x0001_0203_0405_0607L, STAMP, null,
				0x0102_0304_0506_0708L, new Request.Read(KEY, 0x0001_0203, 0x0004_0506)));
		return envelopes;
	}

	private static Request.Prepare prepare(Condition condition) {
		return new Request.Prepare(KEY, new Proposal(NAMED, WRITTEN, condition, EXPIRY));
	}

	/** Replies, each type, reason and refused field at least once. */
	static Map<String, Reply.Envelope> replies() {
		Map<String, Reply> replies = new LinkedHashMap<>();
		replies.put("welcome", new Reply.Welcome(handshake()));
		replies.put("pong", new Reply.Pong(0x0000_0192_f3a4_b5c6L, true, STATUS, PROGRAM, LAYOUT));
		replies.put("applied", new Reply.Applied(true, POSITION));
		replies.put("applied-incomplete", new Reply.Applied(false, POSITION));
		replies.put("superseded", new Reply.Superseded(WRITTEN, true, true, POSITION));
		replies.put("superseded-by-a-conditional-write", new Reply.Superseded(WRITTEN, false, false, POSITION));
		replies.put("promised", new Reply.Promised(WRITTEN, POSITION));
		replies.put("found", new Reply.Found(VALUE));
		replies.put("found-expiring", new Reply.Found(EXPIRING));
		replies.put("found-tombstone", new Reply.Found(TOMBSTONE));
		replies.put("summarized", new Reply.Summarized(new Summary(WRITTEN, false, 3, EXPIRY, 0x0102_0304)));
		replies.put("summarized-tombstone", new Reply.Summarized(new Summary(WRITTEN, true, 3, Entry.NEVER, 0)));
		replies.put("absent", new Reply.Absent());
		replies.put("page", new Reply.Page(
				new ScanPage(List.of(new ScanPage.Item(KEY, VALUE), new ScanPage.Item(Key.of("m"), TOMBSTONE)), END)));
		replies.put("page-last", new Reply.Page(new ScanPage(List.of(), null)));
		replies.put("too-large", new Reply.TooLarge(0x0102_0304));
		replies.put("begun", new Reply.Begun(START));
		replies.put("compared", new Reply.Compared(new ComparisonResult(11, Set.of(0, 7, 9))));
		replies.put("headers",
				new Reply.Headers(
						new HeaderPage(
								List.of(new Header(KEY, new Summary(WRITTEN, false, 3, Entry.NEVER, 0x0102_0304), 0),
										new Header(Key.of("m"), new Summary(WRITTEN, true, 2, Entry.NEVER, 0), 0)),
								END)));
		replies.put("completed", new Reply.Completed(ROUND));
		replies.put("found-typed", new Reply.Found(TYPED));
		replies.put("page-typed", new Reply.Page(new ScanPage(List.of(new ScanPage.Item(KEY, TYPED_EXPIRING),
				new ScanPage.Item(Key.of("m"), TYPED), new ScanPage.Item(Key.of("n"), TOMBSTONE)), null)));
		replies.put("found-carried-on", new Reply.Found(CARRIED_ON));
		replies.put("summarized-descended", new Reply.Summarized(Summary.of(DESCENDED)));
		replies.put("headers-carried-on",
				new Reply.Headers(new HeaderPage(List.of(new Header(KEY, Summary.of(CARRIED_ON), 0),
						new Header(Key.of("m"), Summary.of(CARRIED_ON_TOMBSTONE), 0)), null)));
		replies.put("prepared",
				new Reply.Prepared(new PrepareReply.Promised(Summary.of(CARRIED_ON)), 0x0000_0192_f3a4_b5c6L));
		replies.put("prepared-holding-nothing",
				new Reply.Prepared(new PrepareReply.Promised(null), 0x0000_0192_f3a4_b5c6L));
		replies.put("prepared-unmet",
				new Reply.Prepared(new PrepareReply.Unmet(Summary.of(DESCENDED), NAMED), 0x0000_0192_f3a4_b5c6L));
		replies.put("prepared-unmet-by-nothing",
				new Reply.Prepared(new PrepareReply.Unmet(null, null), 0x0000_0192_f3a4_b5c6L));
		replies.put("prepared-superseded",
				new Reply.Prepared(new PrepareReply.Superseded(WRITTEN), 0x0000_0192_f3a4_b5c6L));
		replies.put("prepared-busy", new Reply.Prepared(new PrepareReply.Busy(0x0001_0203), 0x0000_0192_f3a4_b5c6L));
		replies.put("looked", new Reply.Looked(new LookReply(new ReadReply.Found(DESCENDED), NAMED)));
		replies.put("looked-summarized",
				new Reply.Looked(new LookReply(new ReadReply.Summarized(Summary.of(CARRIED_ON)), null)));
		replies.put("looked-absent", new Reply.Looked(new LookReply(new ReadReply.Absent(), null)));
		replies
			.put("changed",
					new Reply.Changed(
							new Arrivals.Page(
									List.of(new Arrivals.Name(KEY, 0x0102_0304_0506_0708L, Summary.of(CARRIED_ON)),
											new Arrivals.Name(END, 0x0102_0304_0506_0709L, Summary.of(CARRIED_ON),
													false)),
									0x2122_2324_2526_2728L, 0x0102_0304_0506_070aL, false, true)));
		replies.put("changed-gap", new Reply.Changed(new Arrivals.Page(List.of(), 0x2122_2324L, 0x0102_0304L, true)));
		replies.put("released", new Reply.Released());
		replies.put("handed-over-found", new Reply.HandedOver(new HandoverReply.Found(DESCENDED)));
		replies.put("handed-over", new Reply.HandedOver(new HandoverReply.Written(WRITTEN)));
		replies.put("handed-over-unmet", new Reply.HandedOver(new HandoverReply.Unmet(NAMED, null, false)));
		replies.put("handed-over-unmet-absent", new Reply.HandedOver(new HandoverReply.Unmet(null, OTHER, false)));
		replies.put("handed-over-replayed", new Reply.HandedOver(new HandoverReply.Replayed(WRITTEN, NAMED)));
		replies.put("handed-over-replayed-absent", new Reply.HandedOver(new HandoverReply.Replayed(WRITTEN, null)));
		replies.put("handed-over-forgotten", new Reply.HandedOver(new HandoverReply.Unmet(NAMED, null, true)));
		replies.put("handed-over-touched",
				new Reply.HandedOver(new HandoverReply.Touched(WRITTEN, 0x0000_0193_1122_3344L)));
		replies.put("handed-over-reused", new Reply.HandedOver(HandoverReply.Reused.INSTANCE));
		replies.put("found-repeatable", new Reply.Found(REPEATABLE));
		replies.put("handed-over-contended", new Reply.HandedOver(new HandoverReply.Contended(0x0001_0203)));
		replies.put("handed-over-undecided", new Reply.HandedOver(new HandoverReply.Undecided("unknöwn", NAMED, 0x0102,
				0x0304, List.of(new HandoverReply.Said("node-ä", "ack"), new HandoverReply.Said("b", "silent")))));
		replies.put("handed-over-undecided-without-version",
				new Reply.HandedOver(new HandoverReply.Undecided("not-written", null, 2, 1, List.of())));
		replies.put("pong-data", new Reply.Pong(0x0000_0192_f3a4_b5c6L, true, STATUS, PROGRAM, LAYOUT.with(DATA)));
		replies.put("layout-promise", new Reply.Layout(new Answer.Promise(8, VOTER, BALLOT, new Vote(BALLOT, DECREE))));
		replies.put("layout-accepted", new Reply.Layout(new Answer.Accepted(8, VOTER, BALLOT)));
		replies.put("layout-refused", new Reply.Layout(new Answer.Refused(8, BALLOT)));
		replies.put("layout-not-named", new Reply.Layout(new Answer.NotNamed(8)));
		replies.put("layout-later", new Reply.Layout(new Answer.Later(Decisions.of(BASE))));
		replies.put("layout-learned", new Reply.Layout(new Answer.Learned(7)));
		replies.put("silence", new Reply.Silence(0x0001_0203_0405L));
		replies.put("introduced", new Reply.Introduced("it is a mémber"));
		replies.put("join", new Reply.Join("its jöining begins"));
		replies.put("occupied", new Reply.Occupied("höst:7100 and 10.0.0.7:7100", null));
		replies.put("occupied-later", new Reply.Occupied("höst:7100 and 10.0.0.7:7100", Decisions.of(BASE)));
		replies.put("pong-addresses",
				new Reply.Pong(0x0000_0192_f3a4_b5c6L, true, STATUS, PROGRAM, LAYOUT, "höst:7100 and 10.0.0.7:7100"));
		replies.put("welcome-process",
				new Reply.Welcome(handshake(new ProcessName(0x1122_3344_5566_7788L, "höst:7100"))));
		for (Mismatch.Field field : Mismatch.Field.values()) {
			replies.put("refused-" + name(field), new Reply.Refused(field));
		}
		for (Reason reason : Reason.values()) {
			replies.put("failed-" + name(reason), new Reply.Failed(new Failure(reason, "wörds")));
		}
		Map<String, Reply.Envelope> envelopes = new LinkedHashMap<>();
		replies.forEach((name, reply) -> envelopes.put("reply." + name, new Reply.Envelope(STAMP, reply)));
		return envelopes;
	}

	private static String name(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/* Only some requests have one. */
	private static @Nullable TraceContext trace(Request request) {
		boolean has = request instanceof Request.Read;
		return has ? new TraceContext(0x0102_0304_0506_0708L, 0x090a_0b0c_0d0e_0f10L, 0x1112_1314_1516_1718L) : null;
	}

	private static final Program PROGRAM = new Program("1.0.0", 1, 2);

	private static final MemberData DATA = new MemberData(0x0102, 0x0003_0405, 0x0607_0809, true,
			new Moved(9, 0x0006_68a0, 0x0a0b, 0x0c0d));

	private static final LayoutReport LAYOUT = new LayoutReport(7, 0x3a3b_3c3d_4a4b_4c4dL);

	private static Handshake handshake() {
		return handshake(ProcessName.UNKNOWN);
	}

	private static Handshake handshake(ProcessName process) {
		return new Handshake(1, new Versions(1, 2),
				new Handshake.Sender(new LocalNode("node-a", "clüster", 0x0123_4567_89ab_cdefL, STORAGE, process),
						0x0000_0192_f3a4_b5c6L, true, PROGRAM),
				"node-b", new Handshake.Statuses(STATUS, LAST_KNOWN), LAYOUT);
	}

}
