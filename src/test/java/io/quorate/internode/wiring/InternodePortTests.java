package io.quorate.internode.wiring;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.LastKnownStatus;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.Position;
import io.quorate.internode.frame.PendingConnection;
import io.quorate.internode.frame.PendingConnections;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wire.Handshake;
import io.quorate.internode.wire.Handshakes;
import io.quorate.internode.wire.LocalNode;
import io.quorate.internode.wire.Mismatch;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.Versions;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.layout.Moved;
import io.quorate.membership.reports.Program;
import io.quorate.replica.ReadReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Attacks on the port that peers reach, by programs that are no peers. */
@ExtendWith(OutputCaptureExtension.class)
class InternodePortTests {

	private static final InternodeProperties IMPATIENT = new InternodeProperties("127.0.0.1", null, null,
			PATIENT.maxRequests(), PATIENT.maxBytes(), PATIENT.keepAlive(), PATIENT.suspectAfter(),
			PATIENT.disconnectAfter(), Duration.ofMillis(500), PATIENT.maxBackoff(), Wire.VERSION);

	/* Type and stamp of a reply, and the number of a field. */
	private static final int REFUSAL_BYTES = 1 + 12 + 1;

	private static final byte[] PING = RawPeer.bytes(new Request.Ping(1, DataStatus.EMPTY));

	private final InternodeFixture nodes = new InternodeFixture();

	private final Queue<String> met = new ConcurrentLinkedQueue<>();

	private InternodeServer server;

	@BeforeEach
	void serve() {
		this.nodes.serverAcquaintances = new PeerStatusExchange() {

			@Override
			public DataStatus dataStatus(String peer) {
				return new DataStatus(position(peer), false, new DataStatus.Incarnation(3, 4, false), 5, 0, 30_000);
			}

			@Override
			public Position position(String peer) {
				return new Position(1, 2, 77);
			}

			@Override
			public LastKnownStatus recollectionOf(String peer) {
				return LastKnownStatus.NONE;
			}

			@Override
			public void met(String peer, UUID storageId, DataStatus theirs, LastKnownStatus ofUs) {
				InternodePortTests.this.met.add(peer);
			}

			@Override
			public void heard(String peer, UUID storageId, DataStatus theirs) {
				InternodePortTests.this.met.add(peer);
			}

			@Override
			public boolean isInSameIncarnation(String peer) {
				return true;
			}

			@Override
			public void acknowledged(String peer, UUID storageId, Position position) {
				InternodePortTests.this.met.add(peer);
			}

		};
		this.server = this.nodes.serve();
	}

	@AfterEach
	void close() {
		try {
			ReadReply read = this.nodes.connected(this.server.port()).read(Key.of("key"), soon()).block(PATIENCE);
			assertThat(read).as("members are served").isEqualTo(new ReadReply.Absent());
		}
		finally {
			this.nodes.close();
		}
	}

	private RawPeer connect() throws IOException {
		return new RawPeer(this.server.port());
	}

	/* From so many addresses that none has too many failed handshakes. */
	private RawPeer connect(int number) throws IOException {
		return new RawPeer(this.server.port(), "127.0.1." + (1 + number / (PendingConnections.MAX_FAILED - 10)));
	}

	@ParameterizedTest
	@CsvSource({ "intruder-1, test, 42, SPEAKER", "client, guessed, 42, CLUSTER", "client, test, 41, EPOCH" })
	void aStrangerIsToldTheFieldThatDiffersAndNothingElse(String id, String cluster, long epoch, Mismatch.Field field)
			throws IOException {
		try (RawPeer stranger = connect()) {
			LocalNode claimed = new LocalNode(id, cluster, epoch, new UUID(7, 7));
			stranger.greet(claimed,
					new DataStatus(Position.ofSequence(1L << 60), false, new DataStatus.Incarnation(99, 4, false), 0, 0,
							30_000),
					new LastKnownStatus(InternodeFixture.SERVER.storageId(), Position.ofSequence(1L << 60), 0, true,
							0));
			byte[] reply = stranger.reply();
			assertThat(reply).hasSize(REFUSAL_BYTES).endsWith(field.number());
			assertThat(this.met).as("what it says of itself and of this node").isEmpty();
			stranger.request(RawPeer.bytes(new Request.Read(Key.of("key"), 1000, 1000)));
			assertThat(stranger.isClosedWithin(PATIENCE)).isTrue();
		}
		assertThat(this.nodes.replica.calls()).isZero();
	}

	@Test
	void aMemberIsGreetedAndHeard() throws IOException {
		try (RawPeer member = connect()) {
			assertThat(member.greet("client").understoodReply()).isInstanceOf(Reply.Welcome.class);
			assertThat(member.request(PING).understoodReply()).isInstanceOf(Reply.Pong.class);
			assertThat(this.met).containsExactly("client", "client");
		}
	}

	@Test
	void inventedIdsAreNotKept() throws IOException {
		for (int i = 0; i < 500; i++) {
			try (RawPeer stranger = connect(i)) {
				assertThat(stranger.greet("invented-" + i).understoodReply())
					.isEqualTo(new Reply.Refused(Mismatch.Field.SPEAKER));
			}
		}
		assertThat(this.met).isEmpty();
	}

	@Test
	void aPeerOfAnotherVersionLearnsTheVersionAndNothingElse() throws IOException {
		try (RawPeer other = connect()) {
			byte[] hello = RawPeer.bytes(new Request.Hello(Handshakes.ofOldest(CLIENT, "server")));
			int version = 1 + Integer.BYTES + Long.BYTES + 12;
			ByteBuffer.wrap(hello).putInt(version, Wire.OLDEST_VERSION - 1);
			assertThat(other.setup().request(hello).understoodReply())
				.isEqualTo(new Reply.Welcome(Handshake.ofVersions(new Versions(Wire.OLDEST_VERSION, Wire.VERSION))));
		}
	}

	@Test
	void aConnectionThatIsResetIsNoErrorOfThisNode(CapturedOutput output) throws IOException {
		for (int i = 0; i < 5; i++) {
			try (RawPeer stranger = new RawPeer(this.server.port())) {
				stranger.setup();
				Awaitility.await().until(() -> this.server.connections() == 1);
				stranger.reset();
			}
			Awaitility.await().until(() -> this.server.connections() == 0);
		}
		assertThat(output).doesNotContain("ERROR").doesNotContain("Connection reset");
	}

	@Test
	void aFragmentBeforeTheHandshakeClosesTheConnection(CapturedOutput output) throws IOException {
		try (RawPeer stranger = connect()) {
			stranger.setup().request(new byte[100], RawPeer.FOLLOWS).fragment(new byte[100]);
			assertThat(stranger.isClosedWithin(PATIENCE)).isTrue();
		}
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("a handshake before the handshake was accepted"));
	}

	@Test
	void aSecondMessageBeforeTheGreetingEndsTheConnection() throws IOException {
		try (RawPeer stranger = connect()) {
			stranger.setup().request(PING);
			assertThat(stranger.isClosedWithin(PATIENCE)).isTrue();
		}
	}

	@Test
	void aTooLongMessageBeforeTheHandshakeIsRefusedByItsLength() throws IOException {
		try (RawPeer stranger = connect()) {
			stranger.setup().send(new byte[] { 0, (byte) ((PendingConnection.MAX_BYTES + 1) >> 8), 1 });
			assertThat(stranger.isClosedWithin(PATIENCE)).isTrue();
		}
	}

	@Test
	void aSilentConnectionIsClosedSoon() throws IOException {
		int port = this.nodes.serve(IMPATIENT).port();
		try (RawPeer silent = new RawPeer(port); RawPeer half = new RawPeer(port).setup()) {
			assertThat(silent.isClosedWithin(PATIENCE)).isTrue();
			assertThat(half.isClosedWithin(PATIENCE)).isTrue();
		}
	}

	@Test
	void aGreetedConnectionMayBeSilentForLonger() throws IOException {
		int port = this.nodes.serve(IMPATIENT).port();
		try (RawPeer member = greeted(port); RawPeer later = new RawPeer(port)) {
			assertThat(later.isClosedWithin(PATIENCE)).isTrue();
			assertThat(member.request(PING).understoodReply()).isInstanceOf(Reply.Pong.class);
		}
	}

	/* A slow machine may greet later than the server waits. */
	private static RawPeer greeted(int port) throws IOException {
		RawPeer member = new RawPeer(port);
		while (member.greet("client").reply() == null) {
			member.close();
			member = new RawPeer(port);
		}
		return member;
	}

	@Test
	void connectionsWithoutAGreetingAreBoundedForEachAddressAndInAll() throws IOException {
		List<RawPeer> strangers = new ArrayList<>();
		try {
			for (int i = 0; i < 12; i++) {
				strangers.add(new RawPeer(this.server.port(), "127.0.0.99"));
			}
			awaitOpen(strangers, 8);
			PeerReplica member = this.nodes.peer(this.server.port());
			for (int address = 2; address < 16; address++) {
				for (int i = 0; i < 6; i++) {
					strangers.add(new RawPeer(this.server.port(), "127.0.0." + address));
				}
			}
			awaitOpen(strangers, PendingConnections.MAX * 3 / 4);
			InternodeFixture.awaitReady(member);
		}
		finally {
			for (RawPeer stranger : strangers) {
				stranger.close();
			}
		}
	}

	/* The surplus is connected before the server's event loop closes it. */
	private static void awaitOpen(List<RawPeer> peers, int expected) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.untilAsserted(() -> assertThat(open(peers)).isEqualTo(expected));
	}

	private static long open(List<RawPeer> peers) throws IOException {
		long open = 0;
		for (RawPeer peer : peers) {
			open += peer.isClosedWithin(Duration.ofMillis(3)) ? 0 : 1;
		}
		return open;
	}

	@Test
	void anUnknownMessageClosesTheConnectionOfAMemberToo() throws IOException {
		try (RawPeer member = connect()) {
			member.greet("client").understoodReply();
			member.request(new byte[] { 55, 1, 2, 3 });
			assertThat(member.isClosedWithin(PATIENCE)).isTrue();
		}
	}

	@Test
	void aMemberThatGreetsTwiceIsClosed() throws IOException {
		try (RawPeer member = connect()) {
			member.greet("client").understoodReply();
			member.request(RawPeer.bytes(new Request.Hello(Handshakes.ofOldest(CLIENT, "server"))));
			assertThat(member.isClosedWithin(PATIENCE)).isTrue();
		}
	}

	@Test
	void refusalsNeitherForgeNorFillTheLog(CapturedOutput output) throws IOException {
		for (int i = 0; i < 200; i++) {
			try (RawPeer stranger = connect(i)) {
				stranger.greet("n%d\n2026-01-01T00:00:00.000Z  INFO 1 --- forged".formatted(i) + "x".repeat(500))
					.reply();
			}
		}
		for (int i = 0; i < 200; i++) {
			try (RawPeer stranger = connect(200 + i)) {
				stranger.setup().request(new byte[] { 55, (byte) i });
				assertThat(stranger.isClosedWithin(PATIENCE)).isTrue();
			}
		}
		List<String> lines = output.getOut().lines().toList();
		assertThat(lines).noneMatch((line) -> line.startsWith("2026-01-01T"));
		assertThat(lines).filteredOn((line) -> line.contains("is refused")).hasSizeBetween(1, 64);
		assertThat(lines).allMatch((line) -> line.length() < 700);
		assertThat(this.nodes.serverMeters.get("quorate.internode.connections.refused").counter().count())
			.isGreaterThanOrEqualTo(400);
	}

	/* Bytes by chance, and greetings in which some have changed. */
	@Test
	void nothingThatIsSentBreaksAnything(CapturedOutput output) throws IOException {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		byte[] setup = RawPeer.setupFrame();
		byte[] hello = RawPeer.bytes(new Request.Hello(Handshakes.ofOldest(CLIENT, "server")));
		for (int i = 0; i < 600; i++) {
			try (RawPeer stranger = connect(i)) {
				switch (random.nextInt(4)) {
					case 0 -> stranger.send(bytes(random, 1 + random.nextInt(200)));
					case 1 -> stranger.frame(changed(setup, random)).request(changed(hello, random));
					case 2 -> stranger.frame(setup).request(changed(hello, random)).send(bytes(random, 50));
					default -> stranger.greet("client").send(bytes(random, 1 + random.nextInt(5000)));
				}
			}
			catch (SocketException closed) {
				assertThat(closed).as("seed %d", seed).hasMessageMatching("(?s).*([Rr]eset|[Bb]roken|[Aa]bort).*");
			}
		}
		Awaitility.await().untilAsserted(() -> assertThat(this.server.connections()).as("seed %d", seed).isZero());
		Awaitility.await().untilAsserted(() -> assertThat(this.server.bytesInFlight()).as("seed %d", seed).isZero());
		assertThat(output.getOut().lines().filter((line) -> line.contains("ERROR"))).as("seed %d", seed)
			.allMatch((line) -> line.contains("RefusalLog"));
		assertThat(output).as("seed %d", seed).doesNotContain("Exception", "LEAK");
	}

	private static byte[] bytes(Random random, int length) {
		byte[] bytes = new byte[length];
		random.nextBytes(bytes);
		return bytes;
	}

	private static byte[] changed(byte[] bytes, Random random) {
		byte[] changed = java.util.Arrays.copyOf(bytes, bytes.length - (random.nextInt(4) == 0 ? 3 : 0));
		for (int i = random.nextInt(4); i > 0; i--) {
			changed[random.nextInt(changed.length)] = (byte) random.nextInt();
		}
		return changed;
	}

	@Test
	void aGreetingFitsIntoWhatIsTaken() {
		LocalNode longest = new LocalNode("n".repeat(63), "c".repeat(63), -1, new UUID(-1, -1));
		Handshake handshake = new Handshake(Wire.VERSION, new Versions(Wire.OLDEST_VERSION, Wire.VERSION),
				new Handshake.Sender(longest, -1, true, new Program("p".repeat(Program.MAX_VERSION_LENGTH), 1, 2)),
				"e".repeat(63), new Handshake.Statuses(DataStatus.EMPTY, LastKnownStatus.NONE),
				new LayoutReport(-1, -1).with(new MemberData(-1, -1, -1, true, Moved.NONE)));
		assertThat(RawPeer.setupFrame().length + RawPeer.bytes(new Request.Hello(handshake)).length)
			.isLessThan(PendingConnection.MAX_BYTES / 2);
	}

}
