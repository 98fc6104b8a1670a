package io.quorate.internode.wire;

import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.reports.MemberProcesses.ProcessName;
import io.quorate.membership.reports.Program;
import io.quorate.meter.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * The optional fields of a message:
 *
 * <pre>
 * length of all fields 2 | (tag 1 | length 1 | bytes)...
 *
 * tag   field           bytes
 * 1     trace context   trace id 16 | span id 8
 * 2     program         format level 1 | newest format level 1 | version (UTF-8)
 * 3     versions        oldest 2 | newest 2, of the protocol
 * 4     layout          version 8 | hash 8 | [copied version 8 | [data]]
 *                       data: entries 8 | bytes 8 | free bytes 8 | rebuilding 1
 *                       | copied by version 8 | millionths 4 | copied bytes 8
 *                       | expected bytes 8
 * 5     planned         version 8, of the layout under which a request was planned
 * 6     process         number 8 | where it listens (UTF-8)
 * 7     addresses       UTF-8
 * </pre>
 *
 * A tag is never reused. A reader skips fields with other tags, and the bytes of a field
 * behind those that it knows: so a later program can add some without a new version.
 *
 * @param trace place in a trace of the request
 * @param planned version of the layout under which the request was planned, by default
 * the first
 * @param node fields of the sender
 * @param addresses those of the receiver and of another process with its id; empty for
 * none
 */
record Fields(@Nullable TraceContext trace, long planned, OfNode node, String addresses) {

	static final Fields NONE = new Fields(null, Layout.FIRST, OfNode.NONE, "");

	private static final int TRACE = 1;

	private static final int PROGRAM = 2;

	private static final int VERSIONS = 3;

	private static final int LAYOUT = 4;

	private static final int PLANNED = 5;

	private static final int PROCESS = 6;

	private static final int ADDRESSES = 7;

	private static final int HEAD_SIZE = 2;

	private static final int TRACE_SIZE = 3 * Long.BYTES;

	private static final int PROGRAM_HEAD_SIZE = 2;

	private static final int VERSIONS_SIZE = 2 * Short.BYTES;

	private static final int LAYOUT_SIZE = 2 * Long.BYTES;

	private static final int COPIED_SIZE = Long.BYTES;

	private static final int DATA_SIZE = 6 * Long.BYTES + Integer.BYTES + 1;

	/* So that the length of a field fits. */
	private static final int MAX_TEXT_BYTES = 200;

	static Fields of(@Nullable TraceContext trace, long planned) {
		return (trace != null || planned != Layout.FIRST) ? new Fields(trace, planned, OfNode.NONE, "") : NONE;
	}

	static Fields of(Handshake sent) {
		return new Fields(null, Layout.FIRST,
				new OfNode(sent.sender().program(), sent.versions(), sent.layout(), sent.node().process()), "");
	}

	static Fields of(Reply.Pong sent) {
		return new Fields(null, Layout.FIRST, new OfNode(sent.program(), null, sent.layout(), ProcessName.UNKNOWN),
				sent.addresses());
	}

	/** Size with the length in front. */
	int size() {
		return Short.BYTES + contentSize();
	}

	private int contentSize() {
		int size = 0;
		if (this.trace != null) {
			size += HEAD_SIZE + TRACE_SIZE;
		}
		if (this.node.program != null) {
			size += HEAD_SIZE + PROGRAM_HEAD_SIZE + bytes(this.node.program.version()).length;
		}
		if (this.node.versions != null) {
			size += HEAD_SIZE + VERSIONS_SIZE;
		}
		if (this.node.layout != null) {
			size += HEAD_SIZE + sizeOf(this.node.layout);
		}
		if (this.planned != Layout.FIRST) {
			size += HEAD_SIZE + Long.BYTES;
		}
		if (!this.node.process.isUnknown()) {
			size += HEAD_SIZE + Long.BYTES + bytes(this.node.process.address()).length;
		}
		if (!this.addresses.isEmpty()) {
			size += HEAD_SIZE + bytes(this.addresses).length;
		}
		return size;
	}

	private static int sizeOf(LayoutReport layout) {
		if (layout.data() != null) {
			return LAYOUT_SIZE + COPIED_SIZE + DATA_SIZE;
		}
		return LAYOUT_SIZE + ((layout.copied() != 0) ? COPIED_SIZE : 0);
	}

	private static byte[] bytes(String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		return (bytes.length <= MAX_TEXT_BYTES) ? bytes : new byte[0];
	}

	void write(MessageWriter to) {
		to.putShort(contentSize());
		if (this.trace != null) {
			to.put(TRACE)
				.put(TRACE_SIZE)
				.putLong(this.trace.traceIdHigh())
				.putLong(this.trace.traceIdLow())
				.putLong(this.trace.spanId());
		}
		if (this.node.program != null) {
			byte[] version = bytes(this.node.program.version());
			to.put(PROGRAM)
				.put(PROGRAM_HEAD_SIZE + version.length)
				.put(this.node.program.formatLevel())
				.put(this.node.program.newestFormatLevel())
				.putRaw(version);
		}
		if (this.node.versions != null) {
			to.put(VERSIONS)
				.put(VERSIONS_SIZE)
				.putShort(this.node.versions.oldest())
				.putShort(this.node.versions.newest());
		}
		if (this.node.layout != null) {
			to.put(LAYOUT)
				.put(sizeOf(this.node.layout))
				.putLong(this.node.layout.adopted().version())
				.putLong(this.node.layout.adopted().hash());
			MemberData data = this.node.layout.data();
			if (this.node.layout.copied() != 0 || data != null) {
				to.putLong(this.node.layout.copied());
			}
			if (data != null) {
				write(data, to);
			}
		}
		if (this.planned != Layout.FIRST) {
			to.put(PLANNED).put(Long.BYTES).putLong(this.planned);
		}
		if (!this.node.process.isUnknown()) {
			byte[] address = bytes(this.node.process.address());
			to.put(PROCESS).put(Long.BYTES + address.length).putLong(this.node.process.number()).putRaw(address);
		}
		if (!this.addresses.isEmpty()) {
			byte[] text = bytes(this.addresses);
			to.put(ADDRESSES).put(text.length).putRaw(text);
		}
	}

	private static void write(MemberData data, MessageWriter to) {
		to.putLong(data.entries())
			.putLong(data.bytes())
			.putLong(data.freeBytes())
			.put(data.isRebuilding())
			.putLong(data.moved().version())
			.putInt(data.moved().millionths())
			.putLong(data.moved().bytes())
			.putLong(data.moved().expectedBytes());
	}

	private static MemberData data(ByteBuf from) {
		return new MemberData(from.readLong(), from.readLong(), from.readLong(), from.readBoolean(),
				new Moved(from.readLong(), from.readInt(), from.readLong(), from.readLong()));
	}

	/**
	 * Reads fields without the length in front.
	 * @throws IndexOutOfBoundsException when a field ends behind them
	 */
	static Fields read(ByteBuf from) {
		Fields fields = NONE;
		while (from.isReadable()) {
			int tag = from.readUnsignedByte();
			fields = fields.with(tag, from.readSlice(from.readUnsignedByte()));
		}
		return fields;
	}

	private Fields with(int tag, ByteBuf bytes) {
		return switch (tag) {
			case TRACE -> new Fields(new TraceContext(bytes.readLong(), bytes.readLong(), bytes.readLong()),
					this.planned, this.node, this.addresses);
			case PLANNED -> new Fields(this.trace, bytes.readLong(), this.node, this.addresses);
			case ADDRESSES -> new Fields(this.trace, this.planned, this.node, bytes.toString(StandardCharsets.UTF_8));
			default -> new Fields(this.trace, this.planned, this.node.with(tag, bytes), this.addresses);
		};
	}

	/**
	 * The fields of a node that sends a message.
	 *
	 * @param program program that it runs
	 * @param versions versions that it speaks
	 * @param layout layout that it has adopted, and its progress
	 * @param process process that speaks for it
	 */
	record OfNode(@Nullable Program program, @Nullable Versions versions, @Nullable LayoutReport layout,
			ProcessName process) {

		private static final OfNode NONE = new OfNode(null, null, null, ProcessName.UNKNOWN);

		Program programOrUnknown() {
			return (this.program != null) ? this.program : Program.UNKNOWN;
		}

		private OfNode with(int tag, ByteBuf bytes) {
			return switch (tag) {
				case PROGRAM -> {
					int level = bytes.readUnsignedByte();
					int newest = bytes.readUnsignedByte();
					yield new OfNode(new Program(bytes.toString(StandardCharsets.UTF_8), level, newest), this.versions,
							this.layout, this.process);
				}
				case VERSIONS -> new OfNode(this.program,
						new Versions(bytes.readUnsignedShort(), bytes.readUnsignedShort()), this.layout, this.process);
				case LAYOUT -> {
					LayoutVersion adopted = new LayoutVersion(bytes.readLong(), bytes.readLong());
					long copied = bytes.isReadable(COPIED_SIZE) ? bytes.readLong() : 0;
					MemberData data = bytes.isReadable(DATA_SIZE) ? data(bytes) : null;
					yield new OfNode(this.program, this.versions, new LayoutReport(adopted, copied, data),
							this.process);
				}
				case PROCESS -> new OfNode(this.program, this.versions, this.layout,
						new ProcessName(bytes.readLong(), bytes.toString(StandardCharsets.UTF_8)));
				default -> this;
			};
		}

	}

}
