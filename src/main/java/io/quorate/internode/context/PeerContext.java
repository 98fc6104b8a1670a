package io.quorate.internode.context;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.NetUtil;
import io.quorate.clock.BootTime;
import io.quorate.clock.Deadline;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Handshake;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestCodec;
import io.quorate.internode.wire.RequestTags;
import io.quorate.internode.wire.Versions;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.reports.MemberProcesses.MemberProcess;
import io.quorate.replica.Replica;
import io.quorate.security.Printable;
import org.jspecify.annotations.Nullable;

/** The context that all connections of this node share. */
public record PeerContext(ThisNode node, InternodeClock clock, InternodeProperties properties, Transport transport,
		Exchanges exchanges, Observation observation) {

	/* Of an address that the other node has sent. */
	private static final int MAX_PRINTED = 100;

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final long NANOS_PER_MICRO = 1_000;

	/** The same context with other reports to peers, records of them, and meters. */
	public PeerContext with(Exchanges others, MeterRegistry meters) {
		return new PeerContext(this.node, this.clock, this.properties, this.transport, others,
				new Observation(this.observation.spans(), meters));
	}

	/**
	 * The same context where more nodes than before count as members.
	 * @param more makes the ids of all others from those of the members
	 */
	public PeerContext withOthers(UnaryOperator<Set<String>> more) {
		Supplier<Set<String>> members = this.node.others();
		return new PeerContext(new ThisNode(this.node.self(), () -> more.apply(members.get()), this.node.drainState()),
				this.clock, this.properties, this.transport, this.exchanges, this.observation);
	}

	/**
	 * The versions of the protocol that this node speaks. A finalized upgrade leaves out
	 * those of the program before.
	 */
	public Versions versions() {
		int oldest = Wire.oldestVersionAt(this.exchanges.programs().own().formatLevel());
		return new Versions(oldest, Math.max(oldest, this.properties.newestVersion()));
	}

	/** Encodes a request that is sent now. */
	public Message encode(Request request, RequestTags tags, Deadline deadline) {
		long remaining = (deadline.remainingNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
		return RequestCodec.encode(new Request.Envelope(Math.clamp(remaining, 1, Integer.MAX_VALUE), nowMicros(),
				this.clock.current(), tags.trace(), layout(tags), request));
	}

	private long layout(RequestTags tags) {
		return (tags.layout() != Replica.UNPLANNED) ? tags.layout() : this.exchanges.layouts().version();
	}

	/** Encodes a reply that is sent now. */
	public Message encode(Reply reply) {
		return ReplyCodec.encode(new Reply.Envelope(this.clock.current(), reply));
	}

	/**
	 * Encodes a reply to send, which counts against a budget even beyond its limit.
	 */
	public Outgoing outgoing(Reply reply, Budget budget) {
		Message message = encode(reply);
		budget.take(message.cost());
		return message.outgoing(this.transport.allocator(), budget);
	}

	/**
	 * The handshake of this node with a peer.
	 * @param version version of its layout, and that of all later messages if this node
	 * was connected to
	 */
	public Handshake handshake(String expected, int version) {
		PeerStatusExchange statuses = this.exchanges.statuses();
		return new Handshake(version, versions(),
				new Handshake.Sender(this.node.self(), this.clock.physicalMillis(),
						this.node.drainState().isAnnounced(), this.exchanges.programs().own()),
				expected, new Handshake.Statuses(statuses.dataStatus(expected), statuses.recollectionOf(expected)),
				this.exchanges.layouts().own());
	}

	/**
	 * The process that has sent a handshake. One that listens on all addresses of its
	 * machine says a port alone.
	 * @param remote other end of the connection
	 */
	public MemberProcess process(LocalNode theirs, @Nullable SocketAddress remote) {
		String end = (remote instanceof InetSocketAddress internet) ? NetUtil.toSocketAddressString(internet)
				: String.valueOf(remote);
		String said = Printable.of(theirs.process().address(), MAX_PRINTED);
		String address = said.startsWith(":") ? end.substring(0, Math.max(0, end.lastIndexOf(':'))) + said : said;
		return new MemberProcess(theirs.id(), theirs.storageId(), theirs.process().number(),
				address.isEmpty() ? end : address, this.properties.disconnectAfter());
	}

	/**
	 * The monotonic clock that requests carry. It goes on while a machine is suspended:
	 * else requests that waited meanwhile would not seem to have waited.
	 */
	public static long nowMicros() {
		return BootTime.nanos() / NANOS_PER_MICRO;
	}

}
