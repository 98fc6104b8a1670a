package io.quorate.internode.wire;

import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Condition;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import io.quorate.replica.LookReply;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.Proposal;
import io.quorate.replica.ReadReply;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of the messages of a register, in the order of their records' components.
 * <p>
 * Proposal: {@code version 12 | ballot 12 | condition | now 8}. Condition:
 * {@code flags 1 | [versions] | [versions]}, bit 0 for versions of which one must match,
 * bit 1 when these are all, bits 2 and 3 for those of which none may, bit 4 for the key
 * of a request that is done once, {@code key 8 | request 8} at the end; versions are
 * {@code count 1 | version 12 *}, and not there when they are all. What is optional has a
 * byte in front, 1 when it is there. Reply to a prepare: {@code clock ms 8 | kind 1} (0
 * promised, 1 unmet, 2 superseded, 3 busy), then its components. Reply to a look:
 * {@code [promise 12] | kind 1} (0 absent, 1 summary, 2 entry), then that. Hand-over:
 * {@code most bytes of the reply 4 | condition | ack 4 | ttl 8 | [entry]}. Reply to it:
 * {@code kind 1} (0 written, 1 unmet, 2 contended, 3 undecided, 4 found, 5 replayed, 6
 * reused, 7 unmet and forgotten, 8 touched), then its components, lists with
 * {@code count 1}.
 */
final class RegisterCodec {

	private static final int MATCH = 1;

	private static final int MATCH_ANY = 2;

	private static final int NONE_MATCH = 4;

	private static final int NONE_MATCH_ANY = 8;

	private static final int ONCE = 16;

	private static final int PROMISED = 0;

	private static final int UNMET = 1;

	private static final int SUPERSEDED = 2;

	private static final int BUSY = 3;

	private static final int WRITTEN = 0;

	private static final int CONTENDED = 2;

	private static final int UNDECIDED = 3;

	private static final int FOUND = 4;

	private static final int REPLAYED = 5;

	private static final int REUSED = 6;

	private static final int FORGOTTEN = 7;

	private static final int TOUCHED = 8;

	private static final int ABSENT = 0;

	private static final int SUMMARY = 1;

	private static final int ENTRY = 2;

	private RegisterCodec() {
	}

	static int size(Request.Register request) {
		return MessageWriter.sizeOf(request.key()) + switch (request) {
			case Request.Prepare(var _, var proposal) ->
				2 * Timestamp.SIZE_BYTES + size(proposal.condition()) + Long.BYTES;
			case Request.Look _ -> 2 * Integer.BYTES;
			case Request.Release _ -> Timestamp.SIZE_BYTES;
			case Request.HandOver(var _, var write, var _) -> size(write.condition()) + 2 * Integer.BYTES + Long.BYTES
					+ 1 + ((write.content() != null) ? MessageWriter.sizeOfLast(write.content()) : 0);
		};
	}

	static void write(Request.Register request, MessageWriter to) {
		to.put(request.key());
		switch (request) {
			case Request.Prepare(var _, var proposal) -> {
				to.put(proposal.version()).put(proposal.ballot());
				write(proposal.condition(), to);
				to.putLong(proposal.nowMillis());
			}
			case Request.Look look -> to.putInt(look.maxValueBytes()).putInt(look.maxReplyBytes());
			case Request.Release release -> to.put(release.ballot());
			case Request.HandOver(var _, var write, int maxReplyBytes) -> {
				to.putInt(maxReplyBytes);
				write(write.condition(), to);
				to.putInt(write.ack()).putLong(write.ttlMillis()).put(write.content() != null);
				if (write.content() != null) {
					to.putLast(write.content());
				}
			}
		}
	}

	static Request.Prepare prepare(MessageReader from) {
		return new Request.Prepare(from.key(),
				new Proposal(from.timestamp(), from.timestamp(), condition(from), from.readLong()));
	}

	static Request.Look look(MessageReader from) {
		return new Request.Look(from.key(), from.readInt(), from.readInt());
	}

	static Request.Release release(MessageReader from) {
		return new Request.Release(from.key(), from.timestamp());
	}

	static Request.HandOver handOver(MessageReader from) {
		Key key = from.key();
		int maxReplyBytes = from.readInt();
		return new Request.HandOver(key,
				new Handover(condition(from), from.readInt(), from.readLong(), from.flag() ? from.entry() : null),
				maxReplyBytes);
	}

	private static int size(Condition condition) {
		int once = (condition.once() != null) ? 2 * Long.BYTES : 0;
		return 1 + size(condition.match()) + size(condition.noneMatch()) + once;
	}

	private static int size(Condition.@Nullable Versions versions) {
		return (versions == null || versions.isAny()) ? 0 : 1 + versions.named().size() * Timestamp.SIZE_BYTES;
	}

	private static void write(Condition condition, MessageWriter to) {
		IdempotencyKey once = condition.once();
		to.put(flags(condition.match(), MATCH, MATCH_ANY) | flags(condition.noneMatch(), NONE_MATCH, NONE_MATCH_ANY)
				| ((once != null) ? ONCE : 0));
		write(condition.match(), to);
		write(condition.noneMatch(), to);
		if (once != null) {
			to.putLong(once.key()).putLong(once.request());
		}
	}

	private static int flags(Condition.@Nullable Versions versions, int some, int any) {
		return (versions == null) ? 0 : versions.isAny() ? some | any : some;
	}

	private static void write(Condition.@Nullable Versions versions, MessageWriter to) {
		if (versions != null && !versions.isAny()) {
			to.put(versions.named().size());
			versions.named().forEach(to::put);
		}
	}

	private static Condition condition(MessageReader from) {
		int flags = from.octet();
		if ((flags & ~(MATCH | MATCH_ANY | NONE_MATCH | NONE_MATCH_ANY | ONCE)) != 0) {
			throw new MalformedMessageException("unknown flags of a condition %#x".formatted(flags));
		}
		Condition.Versions match = versions(flags, MATCH, MATCH_ANY, from);
		Condition.Versions noneMatch = versions(flags, NONE_MATCH, NONE_MATCH_ANY, from);
		return new Condition(match, noneMatch,
				((flags & ONCE) != 0) ? new IdempotencyKey(from.readLong(), from.readLong()) : null);
	}

	private static Condition.@Nullable Versions versions(int flags, int some, int any, MessageReader from) {
		if ((flags & some) == 0) {
			return null;
		}
		if ((flags & any) != 0) {
			return Condition.Versions.ANY;
		}
		int count = from.octet();
		List<Timestamp> named = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			named.add(from.timestamp());
		}
		return Condition.Versions.of(named);
	}

	static int size(Reply.Register reply) {
		return switch (reply) {
			case Reply.Prepared(var prepared, var _) -> Long.BYTES + 1 + switch (prepared) {
				case PrepareReply.Promised(var held) -> size(held);
				case PrepareReply.Unmet(var held, var promise) -> size(held) + size(promise);
				case PrepareReply.Superseded _ -> Timestamp.SIZE_BYTES;
				case PrepareReply.Busy _ -> Integer.BYTES;
				case PrepareReply.Failed _ -> throw failed();
			};
			case Reply.Looked(var looked) -> size(looked.promise()) + 1 + switch (looked.held()) {
				case ReadReply.Found(var entry) -> MessageWriter.sizeOfLast(entry);
				case ReadReply.Summarized(var summary) -> MessageWriter.sizeOf(summary);
				case ReadReply.Absent _ -> 0;
				case ReadReply.Failed _ -> throw failed();
			};
			case Reply.Released _ -> 0;
			case Reply.HandedOver(var handed) -> 1 + switch (handed) {
				case HandoverReply.Written _ -> Timestamp.SIZE_BYTES;
				case HandoverReply.Found(var entry) -> MessageWriter.sizeOfLast(entry);
				case HandoverReply.Unmet(var current, var absent, var _) -> size(current) + size(absent);
				case HandoverReply.Replayed(var _, var current) -> Timestamp.SIZE_BYTES + size(current);
				case HandoverReply.Reused _ -> 0;
				case HandoverReply.Touched _ -> Timestamp.SIZE_BYTES + Long.BYTES;
				case HandoverReply.Contended _ -> Integer.BYTES;
				case HandoverReply.Undecided undecided -> size(undecided);
				case HandoverReply.Failed _ -> throw failed();
			};
		};
	}

	private static int size(HandoverReply.Undecided undecided) {
		int size = MessageWriter.sizeOf(undecided.outcome()) + size(undecided.version()) + 2 * Integer.BYTES + 1;
		for (HandoverReply.Said each : undecided.replicas()) {
			size += MessageWriter.sizeOf(each.node()) + MessageWriter.sizeOf(each.said());
		}
		return size;
	}

	private static int size(@Nullable Summary held) {
		return 1 + ((held != null) ? MessageWriter.sizeOf(held) : 0);
	}

	private static int size(@Nullable Timestamp promise) {
		return 1 + ((promise != null) ? Timestamp.SIZE_BYTES : 0);
	}

	/* A failure has a message of its own. */
	private static IllegalArgumentException failed() {
		return new IllegalArgumentException("a failure is no reply of a register");
	}

	static void write(Reply.Register reply, MessageWriter to) {
		switch (reply) {
			case Reply.Prepared(var prepared, long physicalMillis) -> write(prepared, to.putLong(physicalMillis));
			case Reply.Looked(var looked) -> {
				write(looked.promise(), to);
				write(looked.held(), to);
			}
			case Reply.HandedOver(var handed) -> write(handed, to);
			case Reply.Released _ -> {
			}
		}
	}

	private static void write(HandoverReply handed, MessageWriter to) {
		switch (handed) {
			case HandoverReply.Written(var version) -> to.put(WRITTEN).put(version);
			case HandoverReply.Found(var entry) -> to.put(FOUND).putLast(entry);
			case HandoverReply.Unmet(var current, var absent, boolean isForgotten) -> {
				write(current, to.put(isForgotten ? FORGOTTEN : UNMET));
				write(absent, to);
			}
			case HandoverReply.Replayed(var version, var current) -> write(current, to.put(REPLAYED).put(version));
			case HandoverReply.Reused _ -> to.put(REUSED);
			case HandoverReply.Touched(var version, long expiryMillis) ->
				to.put(TOUCHED).put(version).putLong(expiryMillis);
			case HandoverReply.Contended(int rounds) -> to.put(CONTENDED).putInt(rounds);
			case HandoverReply.Undecided undecided -> {
				write(undecided.version(), to.put(UNDECIDED).put(undecided.outcome()));
				to.putInt(undecided.required()).putInt(undecided.acknowledged()).put(undecided.replicas().size());
				undecided.replicas().forEach((each) -> to.put(each.node()).put(each.said()));
			}
			case HandoverReply.Failed _ -> throw failed();
		}
	}

	private static void write(PrepareReply prepared, MessageWriter to) {
		switch (prepared) {
			case PrepareReply.Promised(var held) -> write(held, to.put(PROMISED));
			case PrepareReply.Unmet(var held, var promise) -> {
				write(held, to.put(UNMET));
				write(promise, to);
			}
			case PrepareReply.Superseded(var by) -> to.put(SUPERSEDED).put(by);
			case PrepareReply.Busy(int millis) -> to.put(BUSY).putInt(millis);
			case PrepareReply.Failed _ -> throw failed();
		}
	}

	private static void write(ReadReply held, MessageWriter to) {
		switch (held) {
			case ReadReply.Found(var entry) -> to.put(ENTRY).putLast(entry);
			case ReadReply.Summarized(var summary) -> to.put(SUMMARY).put(summary);
			case ReadReply.Absent _ -> to.put(ABSENT);
			case ReadReply.Failed _ -> throw failed();
		}
	}

	private static void write(@Nullable Summary held, MessageWriter to) {
		to.put(held != null);
		if (held != null) {
			to.put(held);
		}
	}

	private static void write(@Nullable Timestamp promise, MessageWriter to) {
		to.put(promise != null);
		if (promise != null) {
			to.put(promise);
		}
	}

	static Reply.Prepared prepared(MessageReader from) {
		long physicalMillis = from.readLong();
		int kind = from.octet();
		return new Reply.Prepared(switch (kind) {
			case PROMISED -> new PrepareReply.Promised(held(from));
			case UNMET -> new PrepareReply.Unmet(held(from), promise(from));
			case SUPERSEDED -> new PrepareReply.Superseded(from.timestamp());
			case BUSY -> new PrepareReply.Busy(from.readInt());
			default -> throw new MalformedMessageException("unknown reply to a prepare " + kind);
		}, physicalMillis);
	}

	static Reply.Looked looked(MessageReader from) {
		Timestamp promise = promise(from);
		int kind = from.octet();
		return new Reply.Looked(new LookReply(switch (kind) {
			case ABSENT -> new ReadReply.Absent();
			case SUMMARY -> new ReadReply.Summarized(from.summary());
			case ENTRY -> new ReadReply.Found(from.entry());
			default -> throw new MalformedMessageException("unknown reply to a look " + kind);
		}, promise));
	}

	static Reply.HandedOver handedOver(MessageReader from) {
		int kind = from.octet();
		return new Reply.HandedOver(switch (kind) {
			case WRITTEN -> new HandoverReply.Written(from.timestamp());
			case FOUND -> new HandoverReply.Found(from.entry());
			case UNMET -> new HandoverReply.Unmet(promise(from), promise(from), false);
			case FORGOTTEN -> new HandoverReply.Unmet(promise(from), promise(from), true);
			case REPLAYED -> new HandoverReply.Replayed(from.timestamp(), promise(from));
			case REUSED -> HandoverReply.Reused.INSTANCE;
			case TOUCHED -> new HandoverReply.Touched(from.timestamp(), from.readLong());
			case CONTENDED -> new HandoverReply.Contended(from.readInt());
			case UNDECIDED -> {
				String outcome = from.text();
				Timestamp version = promise(from);
				int required = from.readInt();
				int acknowledged = from.readInt();
				List<HandoverReply.Said> said = new ArrayList<>();
				for (int i = from.octet(); i > 0; i--) {
					said.add(new HandoverReply.Said(from.text(), from.text()));
				}
				yield new HandoverReply.Undecided(outcome, version, required, acknowledged, said);
			}
			default -> throw new MalformedMessageException("unknown reply to a hand-over " + kind);
		});
	}

	private static @Nullable Summary held(MessageReader from) {
		return from.flag() ? from.summary() : null;
	}

	private static @Nullable Timestamp promise(MessageReader from) {
		return from.flag() ? from.timestamp() : null;
	}

}
