package io.quorate.internode.peer;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.PeerListener;
import io.quorate.internode.context.PeerMetrics;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.tls.Dialing;
import io.quorate.internode.tls.PeerForm;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Handshake;
import io.quorate.internode.wire.Reply;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.members.MemberState;
import io.quorate.security.Printable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import reactor.netty.tcp.TcpClient;

/**
 * The connections to one peer, and the bounds of its requests and bytes in flight. Small
 * messages have one connection on each event loop, so that a request stays on its loop;
 * large values have one more.
 */
public final class PeerLink implements PeerChannel.Listener {

	private static final Logger log = LoggerFactory.getLogger(PeerLink.class);

	/* Reasons that are logged of one outage: enough to see its cause. */
	private static final int MAX_SAID_ENDS = 5;

	/* Layouts are learned within seconds. */
	private static final long PASSING_NANOS = TimeUnit.MINUTES.toNanos(1);

	/* The weight of the newest sample is 1/8. */
	private static final int LATENCY_SHIFT = 3;

	/* Of addresses that the peer has sent. */
	private static final int MAX_PRINTED = 200;

	/* An end by this node itself: it says nothing about the peer. */
	private static final String RENEWED = "no keep-alive on the other connections";

	/* A connection waits for one lookup at a time. */
	private static final SystemNames NAMES = new SystemNames(InetAddress::getAllByName,
			(lookup) -> Thread.ofPlatform().daemon().name("names").start(lookup));

	private final String peer;

	private final String address;

	private final PeerContext context;

	private final PeerListener listener;

	private final List<PeerChannel> lanes = new ArrayList<>();

	private final IdentityHashMap<EventExecutor, PeerChannel> lanesByLoop = new IdentityHashMap<>();

	private final PeerChannel largeLane;

	private final AtomicInteger turn = new AtomicInteger();

	private final Budget slots;

	private final Budget smallBytes;

	private final Budget largeBytes;

	private final PeerMetrics metrics;

	private final PeerForm form;

	private volatile MemberState state = MemberState.DISCONNECTED;

	private volatile @Nullable UUID storageId;

	private volatile long latencyNanos;

	private volatile long lastHeardNanos;

	private volatile boolean draining;

	/*
	 * Whether the peer has left. Another link may be that of a node with its id by now.
	 */
	private volatile boolean retired;

	private volatile @Nullable String lastMismatch;

	private long mismatchNanos;

	private boolean alarmed;

	private String lastEnd = "never tried";

	private final Set<String> saidEnds = new HashSet<>();

	public PeerLink(String peer, String host, int port, PeerContext context, List<EventLoop> loops,
			PeerListener listener) {
		this(peer, host + ":" + port, context, loops, listener, (loop) -> client(loop, host, port, context));
	}

	/**
	 * As above, with connections of another kind.
	 * @param clients makes the client of an event loop, which connects to the address
	 */
	PeerLink(String peer, String address, PeerContext context, List<EventLoop> loops, PeerListener listener,
			Function<EventLoop, TcpClient> clients) {
		this.peer = peer;
		this.address = address;
		this.context = context;
		this.listener = listener;
		this.metrics = new PeerMetrics(context.observation().registry(), peer);
		this.form = context.transport().encryption().peerForm(peer);
		InternodeProperties properties = context.properties();
		this.slots = new Budget(properties.maxRequests());
		this.smallBytes = new Budget(properties.maxBytes().toBytes());
		this.largeBytes = new Budget(properties.maxBytes().toBytes());
		for (EventLoop loop : loops) {
			PeerChannel peerChannel = new PeerChannel(loop, false, peer, context, dialing(clients.apply(loop)), this);
			this.lanes.add(peerChannel);
			this.lanesByLoop.put(loop, peerChannel);
		}
		EventLoop loop = loops.get(Math.floorMod(peer.hashCode(), loops.size()));
		this.largeLane = new PeerChannel(loop, true, peer, context, dialing(clients.apply(loop)), this);
	}

	private Dialing dialing(TcpClient client) {
		return this.context.transport().encryption().dialing(this.form, client, this::ended);
	}

	/** Looks the host's name up at each attempt to connect. */
	static TcpClient client(EventLoop loop, String host, int port, PeerContext context) {
		return TcpClient.newConnection()
			.runOn(loop)
			.resolver(NAMES)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS,
					Math.toIntExact(context.properties().connectTimeout().toMillis()))
			.host(host)
			.port(port);
	}

	void open() {
		this.lanes.forEach(PeerChannel::open);
		this.largeLane.open();
	}

	/**
	 * The peer has left. Connections stay for the requests that are under way, until
	 * closed; none is made anew, and the peer's reports do not count.
	 */
	void retire() {
		this.retired = true;
		this.lanes.forEach(PeerChannel::retire);
		this.largeLane.retire();
	}

	void close() {
		this.lanes.forEach(PeerChannel::close);
		this.largeLane.close();
	}

	public String peer() {
		return this.peer;
	}

	PeerContext context() {
		return this.context;
	}

	Budget slots() {
		return this.slots;
	}

	Budget smallBytes() {
		return this.smallBytes;
	}

	Budget largeBytes() {
		return this.largeBytes;
	}

	PeerMetrics metrics() {
		return this.metrics;
	}

	/** Bytes that wait for the peer, and those of large replies that it was asked for. */
	long bytesInFlight() {
		return this.smallBytes.taken() + this.largeBytes.taken();
	}

	/** Connections that are up, in one of the two forms. */
	public long connections(boolean encrypted) {
		return Stream.concat(this.lanes.stream(), Stream.of(this.largeLane))
			.filter((lane) -> lane.isReady(encrypted))
			.count();
	}

	MemberState state() {
		return this.state;
	}

	/** The reason for which the last connection, or attempt to connect, has ended. */
	public synchronized String lastEnd() {
		return this.lastEnd;
	}

	/** Whether the peer and this node refused each other when they connected last. */
	boolean isRefused() {
		return this.lastMismatch != null;
	}

	@Nullable UUID storageId() {
		return this.storageId;
	}

	long latencyNanos() {
		return this.latencyNanos;
	}

	long lastHeardNanos() {
		return this.lastHeardNanos;
	}

	/**
	 * The channel for a request of the calling thread, or {@code null} when none is
	 * connected.
	 */
	@Nullable PeerChannel peerChannel(boolean large) {
		if (large) {
			return (this.largeLane.isReady() && this.state != MemberState.DISCONNECTED) ? this.largeLane : null;
		}
		EventExecutor here = EventLoops.currentOrNull();
		PeerChannel own = (here != null) ? this.lanesByLoop.get(here) : null;
		return (own != null && own.isReady()) ? own : anyLane();
	}

	private @Nullable PeerChannel anyLane() {
		int first = this.turn.getAndIncrement();
		for (int i = 0; i < this.lanes.size(); i++) {
			PeerChannel peerChannel = this.lanes.get(Math.floorMod(first + i, this.lanes.size()));
			if (peerChannel.isReady()) {
				return peerChannel;
			}
		}
		return null;
	}

	/** Whether the peer has announced that it drains, and is still connected. */
	boolean isDraining() {
		return this.state == MemberState.DRAINING;
	}

	/** The peer has refused a request because it drains. */
	void drains() {
		noteDraining(true);
	}

	private void noteDraining(boolean drains) {
		if (this.draining != drains) {
			this.draining = drains;
			laneChanged();
		}
	}

	/** Takes note of the time that the peer took to answer. */
	void answered(long nanos) {
		long before = this.latencyNanos;
		this.latencyNanos = (before == 0) ? nanos : before + ((nanos - before) >> LATENCY_SHIFT);
	}

	void heard() {
		this.lastHeardNanos = System.nanoTime();
	}

	/**
	 * The peer has connected to this node: it can be reached, too. A candidate connects
	 * only to members that have, because others would refuse it.
	 */
	public void cameHere(boolean encrypted) {
		if (!encrypted) {
			this.form.cameInPlain();
		}
		open();
		hurry();
	}

	/**
	 * Connects now all channels that wait for their next attempt, because the peer is up.
	 */
	private void hurry() {
		this.lanes.forEach(PeerChannel::hurry);
		this.largeLane.hurry();
	}

	@Override
	public synchronized void laneChanged() {
		MemberState before = this.state;
		this.state = stateOfLanes();
		if (this.state != before) {
			if (this.state == MemberState.DISCONNECTED) {
				log.atLevel(level()).log("Peer {} at {} is DISCONNECTED: {}", this.peer, this.address, this.lastEnd);
				this.largeLane.renew(RENEWED);
			}
			else if (before == MemberState.DISCONNECTED) {
				log.atLevel(level()).log("Peer {} at {} is {}", this.peer, this.address, this.state);
				this.saidEnds.clear();
				hurry();
			}
			if (this.state == MemberState.SUSPECT) {
				this.metrics.suspected();
			}
			if (!this.retired) {
				this.listener.stateChanged(this.peer, this.state);
			}
		}
		if (!this.retired && this.largeLane.isReady() && anyIs(PeerChannel::isReady)) {
			this.listener.reached(this.peer);
		}
	}

	private Level level() {
		return this.listener.isLogged() ? Level.INFO : Level.DEBUG;
	}

	private MemberState stateOfLanes() {
		if (anyIs(PeerChannel::isSuspect)) {
			return MemberState.SUSPECT;
		}
		if (!anyIs(PeerChannel::isReady)) {
			return MemberState.DISCONNECTED;
		}
		return this.draining ? MemberState.DRAINING : MemberState.UP;
	}

	private boolean anyIs(Predicate<PeerChannel> what) {
		return this.lanes.stream().anyMatch(what);
	}

	@Override
	public synchronized void greeted(Handshake theirs) {
		this.lastMismatch = null;
		this.context.exchanges().layouts().processes().refusedBy(this.peer, null);
		this.storageId = theirs.node().storageId();
		this.draining = theirs.sender().draining();
		this.metrics.connected();
		heard();
		if (this.retired) {
			return;
		}
		this.context.exchanges()
			.statuses()
			.met(this.peer, theirs.node().storageId(), theirs.statuses().own(), theirs.statuses().lastKnown());
		this.context.exchanges().programs().heard(this.peer, theirs.sender().program());
		noteLayout(theirs.layout());
		this.listener.greeted(this.peer, theirs.node().storageId());
		this.listener.rebuilds(this.peer, theirs.statuses().own().rebuilding());
		this.listener.heard(this.peer);
		this.listener.clockRead(this.peer, theirs.sender().physicalMillis());
	}

	private void noteLayout(@Nullable LayoutReport theirs) {
		if (theirs != null) {
			this.context.exchanges().layouts().heard(this.peer, theirs);
		}
	}

	/**
	 * A member that has just joined learns a moment later than others who may connect to
	 * it, and one that was removed that it may not.
	 */
	@Override
	public synchronized void mismatch(String mismatch, boolean mayPass) {
		if (this.retired) {
			return;
		}
		this.context.exchanges().programs().refused(this.peer, mismatch);
		long now = this.context.clock().nanos();
		boolean isNew = !mismatch.equals(this.lastMismatch);
		if (isNew) {
			this.lastMismatch = mismatch;
			this.mismatchNanos = now;
			this.alarmed = false;
		}
		boolean isAlarm = !mayPass || now - this.mismatchNanos >= PASSING_NANOS;
		if (isNew || (isAlarm && !this.alarmed)) {
			this.alarmed = isAlarm;
			log.atLevel(isAlarm ? Level.ERROR : Level.INFO)
				.log("Peer {} at {} is refused, {}", this.peer, this.address, mismatch);
		}
	}

	@Override
	public synchronized void ended(String why) {
		log.debug("A connection to peer {} at {} has ended: {}", this.peer, this.address, why);
		if (why.equals(RENEWED)) {
			return;
		}
		this.lastEnd = why;
		if (why.equals(PeerChannel.CLOSED)) {
			return;
		}
		if (why.startsWith(PeerConnection.CANNOT_CONNECT) && this.lastMismatch != null) {
			this.lastMismatch = null;
			this.context.exchanges().programs().refused(this.peer, null);
			this.context.exchanges().layouts().processes().refusedBy(this.peer, null);
		}
		if (this.state == MemberState.DISCONNECTED) {
			this.listener.notReached(this.peer);
		}
		if (this.state == MemberState.DISCONNECTED && this.lastMismatch == null && this.saidEnds.size() < MAX_SAID_ENDS
				&& this.saidEnds.add(why)) {
			log.atLevel(level()).log("Peer {} at {} is not reached: {}", this.peer, this.address, why);
		}
	}

	/**
	 * A node that is no member is refused by those that do not take it for a candidate,
	 * now or any more. It waits until the peer comes here, or it is a member itself.
	 */
	@Override
	public boolean isToWait() {
		return this.lastMismatch != null && !this.context.exchanges().layouts().isMember();
	}

	@Override
	public boolean hasBecomeEncrypted() {
		return this.form.hasBecomeEncrypted();
	}

	@Override
	public void notConnected() {
		this.metrics.notConnected();
	}

	@Override
	public void largeLaneSilent() {
		PeerChannel beside = this.lanesByLoop.get(this.largeLane.loop());
		if (beside != null) {
			beside.probe();
		}
	}

	@Override
	public synchronized void pong(Reply.Pong pong, RoundTrip roundTrip) {
		heard();
		answered(roundTrip.nanos());
		if (this.retired) {
			return;
		}
		noteDraining(pong.draining());
		this.context.exchanges().programs().heard(this.peer, pong.program());
		noteLayout(pong.layout());
		if (!pong.addresses().isEmpty()) {
			this.context.exchanges().layouts().processes().toldOf(Printable.of(pong.addresses(), MAX_PRINTED));
		}
		UUID theirs = this.storageId;
		if (theirs != null) {
			this.context.exchanges().statuses().heard(this.peer, theirs, pong.dataStatus());
			this.listener.heard(this.peer);
		}
		this.listener.rebuilds(this.peer, pong.dataStatus().rebuilding());
		this.listener.clockRead(this.peer, pong.physicalMillis());
		clockAnswered(pong.physicalMillis(), roundTrip.askedNanos());
	}

	/** Takes note of the clock of the peer, which an answer has brought. */
	void clockAnswered(long physicalMillis, long askedNanos) {
		if (!this.retired) {
			this.listener.clockAnswered(this.peer, physicalMillis, askedNanos);
		}
	}

}
