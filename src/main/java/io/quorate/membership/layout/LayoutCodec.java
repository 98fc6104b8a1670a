package io.quorate.membership.layout;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.consensus.Decree;
import io.quorate.membership.layout.LayoutChange.Kind;
import io.quorate.ring.Member;

/**
 * The bytes of a layout as a decree, numbers with the highest byte first:
 *
 * <pre>
 * layout    format 1 | side | dead | 0                            stable
 *           format 1 | side | dead | 1 | side | change            joint
 * side      replication factor 1 | number of members 1 | member ...
 * member    id | zone | ring id | host | port 2 | storage id 16
 * dead      number 1 | id ...                                     in their order
 * change    kind 1 | member | version 8 | by | since, ms 8        kind: 1 add, 2 remove, 3 replace, 4 replication
 *
 * id, zone, ring id, host, member, by:  length 2 | UTF-8
 * </pre>
 *
 * The same layout always has the same bytes, on all nodes.
 */
public final class LayoutCodec {

	private static final int FORMAT = 1;

	private LayoutCodec() {
	}

	/** The bytes of a layout. */
	public static Decree write(LayoutRecord layout) {
		ByteBuffer target = ByteBuffer.allocate(Decree.MAX_BYTES);
		target.put((byte) FORMAT);
		write(target, layout.stable());
		target.put((byte) layout.dead().size());
		new TreeSet<>(layout.dead()).forEach((id) -> write(target, id));
		LayoutSide after = layout.target();
		LayoutChange change = layout.change();
		if (after == null || change == null) {
			target.put((byte) 0);
		}
		else {
			target.put((byte) 1);
			write(target, after);
			target.put((byte) change.kind().code);
			write(target, change.member());
			target.putLong(change.version());
			write(target, change.by());
			target.putLong(change.sinceMillis());
		}
		byte[] bytes = new byte[target.position()];
		target.flip().get(bytes);
		return Decree.copyOf(bytes);
	}

	private static void write(ByteBuffer target, LayoutSide side) {
		target.put((byte) side.replicationFactor()).put((byte) side.members().size());
		for (LayoutMember member : side.members()) {
			write(target, member.id());
			write(target, member.member().zone());
			write(target, member.member().ringId());
			write(target, member.host());
			target.putShort((short) member.port());
			target.putLong(member.storageId().getMostSignificantBits());
			target.putLong(member.storageId().getLeastSignificantBits());
		}
	}

	private static void write(ByteBuffer target, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		target.putShort((short) bytes.length).put(bytes);
	}

	/**
	 * The layout that has these bytes.
	 * @throws IllegalArgumentException when the bytes are no layout
	 */
	public static LayoutRecord read(Decree decree) {
		ByteBuffer source = decree.buffer();
		try {
			LayoutRecord layout = layout(source);
			if (source.hasRemaining()) {
				throw new IllegalArgumentException("%d bytes too many".formatted(source.remaining()));
			}
			return layout;
		}
		catch (BufferUnderflowException tooShort) {
			throw new IllegalArgumentException("the bytes end too early", tooShort);
		}
	}

	private static LayoutRecord layout(ByteBuffer source) {
		int format = source.get();
		if (format != FORMAT) {
			throw new IllegalArgumentException("format %d of a layout, not %d".formatted(format, FORMAT));
		}
		LayoutSide stable = side(source);
		Set<String> dead = new HashSet<>();
		for (int i = Byte.toUnsignedInt(source.get()); i > 0; i--) {
			dead.add(text(source));
		}
		return switch (source.get()) {
			case 0 -> new LayoutRecord(stable, null, dead, null);
			case 1 -> new LayoutRecord(stable, side(source), dead, change(source));
			default -> throw new IllegalArgumentException("neither a stable nor a joint layout");
		};
	}

	private static LayoutSide side(ByteBuffer source) {
		int factor = Byte.toUnsignedInt(source.get());
		List<LayoutMember> members = new ArrayList<>();
		for (int i = Byte.toUnsignedInt(source.get()); i > 0; i--) {
			Member member = new Member(text(source), text(source), text(source));
			members.add(new LayoutMember(member, text(source), Short.toUnsignedInt(source.getShort()),
					new UUID(source.getLong(), source.getLong())));
		}
		return new LayoutSide(members, factor);
	}

	private static LayoutChange change(ByteBuffer source) {
		int code = source.get();
		Kind kind = Stream.of(Kind.values())
			.filter((each) -> each.code == code)
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("%d is no kind of a change".formatted(code)));
		return new LayoutChange(kind, text(source), source.getLong(), text(source), source.getLong());
	}

	private static String text(ByteBuffer source) {
		int length = Short.toUnsignedInt(source.getShort());
		if (length > source.remaining()) {
			throw new IllegalArgumentException(
					"a text of %d bytes, of which %d are there".formatted(length, source.remaining()));
		}
		ByteBuffer bytes = source.slice(source.position(), length);
		source.position(source.position() + length);
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
		}
		catch (CharacterCodingException wrong) {
			throw new IllegalArgumentException("a text is not UTF-8", wrong);
		}
	}

}
