package io.quorate.internode.wiring;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.Handshakes;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.replica.Origin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.CLIENT;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Attacks on the port that peers reach, by strangers, and by a member that is broken or
 * taken over: each ends its connection for a named reason, or is ignored, and all others
 * are served.
 */
@ExtendWith(OutputCaptureExtension.class)
class HostilePeerTests {

	private static final Key KEY = Key.of("key");

	private static final byte[] PING = RawPeer.bytes(new Request.Ping(1, DataStatus.EMPTY));

	private static final byte[] READ = RawPeer.bytes(new Request.Read(KEY, 1000, 1000));

	private static final byte[] APPLY = RawPeer.bytes(new Request.Apply(KEY, live(100), Origin.CLIENT));

	private static final byte[] HELLO = RawPeer.bytes(new Request.Hello(Handshakes.ofOldest(CLIENT, "server")));

	/* Type, remaining time, time of sending and timestamp of a request, and no fields. */
	private static final int HEAD_BYTES = 1 + 4 + 8 + 12 + 2;

	private final AttackedServer attacked = AttackedServer.start(Encryption.NONE);

	@AfterEach
	void othersAreServedAndNothingIsKept() throws InterruptedException {
		this.attacked.close();
	}

	private static Named<Attack> attack(String name, Attack.Bytes bytes, String reason) {
		return Named.of(name, new Attack(bytes, reason));
	}

	private static Named<Attack> frame(String name, int stream, int header, int size, String reason) {
		return attack(name, (peer) -> peer.frame(stream, header, new byte[size]), reason);
	}

	private static Named<Attack> message(String name, byte[] message, String reason) {
		return attack(name, (peer) -> peer.request(message), reason);
	}

	private static Stream<Named<Attack>> ofAMember() {
		String otherWay = "in another way than nodes do";
		return Stream.of(attack("length 0", (peer) -> peer.frame(new byte[0]), "a frame of 0 bytes is too short"),
				attack("length 1", (peer) -> peer.frame(new byte[1]), "a frame of 1 bytes is too short"),
				attack("length 5", (peer) -> peer.frame(new byte[5]), "a frame of 5 bytes is too short"),
				attack("largest length", (peer) -> peer.send(new byte[] { -1, -1, -1 }),
						"a frame of 16777215 bytes, at most 65552 are taken"),
				attack("one byte too long", (peer) -> peer.send(new byte[] { 1, 0, 17 }), "a frame of 65553 bytes"),
				frame("stream 0", 0, RawPeer.REQUEST, 40, otherWay), frame("even", 8, RawPeer.REQUEST, 40, otherWay),
				frame("negative", -5, RawPeer.REQUEST, 40, otherWay),
				frame("smallest stream", Integer.MIN_VALUE, RawPeer.CANCEL, 0, otherWay),
				frame("second setup", 0, RawPeer.SETUP, 50, otherWay),
				frame("another flag", 5, RawPeer.REQUEST | 0x40, 40, otherWay), frame("no type", 5, 0, 40, otherWay),
				frame("another type", 5, 0x06 << 8, 40, otherWay), frame("last type", 5, 0xff << 8, 40, otherWay),
				frame("small part", 5, RawPeer.REQUEST | RawPeer.FOLLOWS, 1023, "a part of 1023 bytes"),
				frame("empty part", 5, RawPeer.REQUEST | RawPeer.FOLLOWS, 0, "a part of 0 bytes"),
				attack("part of a stream that begins anew",
						(peer) -> peer.frame(5, RawPeer.REQUEST | RawPeer.FOLLOWS, new byte[2000])
							.frame(5, RawPeer.REQUEST, READ),
						otherWay),
				attack("error of the connection",
						(peer) -> peer.frame(0, RawPeer.ERROR, "bye\n".getBytes(StandardCharsets.US_ASCII)),
						"the peer ends the connection: bye"),
				attack("second handshake", (peer) -> peer.greet("other"), otherWay));
	}

	private static Stream<Named<Attack>> ofMessages() {
		return Stream.of(message("no bytes", new byte[0], "not understood"),
				message("unknown type", new byte[HEAD_BYTES], "unknown type of request 0"),
				message("a request to join",
						RawPeer.bytes(new Request.Join(Handshakes.ofOldest(CLIENT, "server"), "x\nforged")),
						"it asks to join behind its handshake"),
				message("half a head", Arrays.copyOf(READ, 20), "not understood"),
				message("a byte left over", Arrays.copyOf(READ, READ.length + 1), "1 bytes left over"),
				message("a key of no bytes", body(4, (to) -> to.putInt(1).putInt(1).putShort((short) 0)), "key"),
				message("a key of 1025 bytes",
						body(4, (to) -> to.putInt(1).putInt(1).putShort((short) 1025).put(new byte[1025])), "key"),
				message("a key beyond the message",
						body(4, (to) -> to.putInt(1).putInt(1).putShort((short) -1).put(new byte[3])),
						"65535 bytes expected, 3 there"),
				message("an unknown origin", body(3, (to) -> to.put((byte) 9)), "unknown origin 9"),
				message("unknown flags of an entry", entry((to) -> to.put((byte) 0x84)), "unknown flags 0x84"),
				message("a negative length of a value", entry((to) -> value(to, -1)), "-1 bytes expected"),
				message("the largest length of a value", entry((to) -> value(to, Integer.MAX_VALUE)),
						"2147483647 bytes expected"),
				message("a page of no entries", page(0, 1, 1), "limits of a page are positive"),
				message("a page of -1 bytes", page(1, -1, 1), "limits of a page are positive"),
				message("a page that examines nothing", page(1, 1, Integer.MIN_VALUE), "limits of a page are positive"),
				message("ranges without number", body(7, (to) -> to.putLong(1).putLong(1).putInt(Integer.MAX_VALUE)),
						"a count of 2147483647"),
				message("-1 ranges", body(7, (to) -> to.putLong(1).putLong(1).putInt(-1)), "a count of -1"),
				message("a range without a start",
						body(7, (to) -> to.putLong(1).putLong(1).putInt(1).putShort((short) 0)),
						"a range without a start"),
				message("keys without number", body(9, (to) -> to.putLong(1).putLong(1).putInt(Integer.MAX_VALUE)),
						"a count of 2147483647"),
				message("fewer keys than told", body(9, (to) -> to.putLong(1).putLong(1).putInt(1000)),
						"not understood"));
	}

	private static Stream<Named<Attack>> ofStrangers() {
		String otherWay = "it does not begin as nodes do";
		String more = "more than a handshake before the handshake was accepted";
		return Stream.of(
				attack("largest length", (peer) -> peer.send(new byte[] { -1, -1, -1 }), "at most 4096 are taken"),
				attack("a long frame", (peer) -> peer.setup().send(new byte[] { 0, 16, 1 }),
						"a frame of 4097 bytes, at most 4096 are taken"),
				attack("length 0", (peer) -> peer.frame(new byte[0]), "a frame of 0 bytes is too short"),
				attack("HTTP", (peer) -> peer.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
						"at most 4096"),
				attack("no setup", (peer) -> peer.request(READ), otherWay),
				attack("a cancel", (peer) -> peer.setup().frame(1, RawPeer.CANCEL, new byte[0]), otherWay),
				attack("a reply", (peer) -> peer.setup().frame(1, RawPeer.PAYLOAD, new byte[10]), otherWay),
				attack("a part", (peer) -> peer.setup().request(new byte[2000], RawPeer.FOLLOWS), more),
				attack("a request", (peer) -> peer.setup().request(READ), "a request before its handshake"),
				attack("much", (peer) -> peer.setup().request(new byte[4084]), more), attack("a handshake that is none",
						(peer) -> peer.setup().request(Arrays.copyOf(HELLO, 31)), "not understood"));
	}

	@TestFactory
	Stream<DynamicTest> aBrokenMemberIsCutOffForANamedReason(CapturedOutput output) {
		return tests(Stream.concat(ofAMember(), ofMessages()), (fault) -> {
			try (RawPeer member = greeted()) {
				this.attacked.requireCutOff(member, fault, output);
			}
		});
	}

	@TestFactory
	Stream<DynamicTest> aStrangerIsCutOffForANamedReason(CapturedOutput output) {
		return tests(ofStrangers(), (fault) -> {
			try (RawPeer stranger = new RawPeer(this.attacked.port())) {
				this.attacked.requireCutOff(stranger, fault, output);
			}
			assertThat(this.attacked.replica().lastOrigin()).isNull();
		});
	}

	private static <T> Stream<DynamicTest> tests(Stream<Named<T>> inputs, ThrowingConsumer<T> test) {
		return DynamicTest.stream(inputs, test);
	}

	@Test
	void aStreamInUseCutsOffItsConnectionAlone(CapturedOutput output) throws IOException {
		try (RawPeer member = greeted(); RawPeer second = greeted()) {
			this.attacked.replica().keepBack();
			member.frame(9, RawPeer.REQUEST, READ).frame(9, RawPeer.REQUEST, READ);
			assertThat(member.isClosedWithin(PATIENCE)).isTrue();
			assertThat(second.request(PING).understoodReply()).isInstanceOf(Reply.Pong.class);
			this.attacked.replica().proceed();
		}
		assertThat(output).contains("in another way than nodes do");
	}

	private static Stream<Named<Attack.Bytes>> ignored() {
		return Stream.of(
				Named.of("parts of no request",
						(peer) -> peer.frames(5, 1000, RawPeer.PAYLOAD | RawPeer.FOLLOWS, new byte[5])),
				Named.of("errors of no stream", (peer) -> peer.frames(5, 1000, RawPeer.ERROR, new byte[2000])),
				Named.of("cancels of no stream", (peer) -> peer.frames(5, 1000, RawPeer.CANCEL, new byte[7])),
				Named.of("cancels of even streams", (peer) -> peer.frames(0, 1000, RawPeer.CANCEL, new byte[0])));
	}

	@TestFactory
	Stream<DynamicTest> framesOfNoStreamAreIgnored() {
		return tests(ignored(), (attack) -> {
			try (RawPeer member = greeted()) {
				attack.send(member);
				assertThat(member.request(PING).understoodReply()).isInstanceOf(Reply.Pong.class);
			}
			assertThat(this.attacked.refused()).isZero();
		});
	}

	private static Stream<Named<byte[]>> atTheBounds() {
		return Stream.of(Named.of("a reply of -1 bytes", RawPeer.bytes(new Request.Read(Key.of("steady"), 1000, -1))),
				Named.of("a value of -1 bytes", RawPeer.bytes(new Request.Read(Key.of("steady"), -1, 1000))),
				Named.of("the smallest number",
						RawPeer.bytes(new Request.Read(Key.of("steady"), Integer.MIN_VALUE, Integer.MIN_VALUE))),
				Named.of("a page of all", page(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE)),
				Named.of("no time left", patched(READ, (bytes) -> bytes.putInt(1, 0))),
				Named.of("negative time left", patched(READ, (bytes) -> bytes.putInt(1, Integer.MIN_VALUE))),
				Named.of("all time left", patched(READ, (bytes) -> bytes.putInt(1, Integer.MAX_VALUE))),
				Named.of("sent in the past", patched(READ, (bytes) -> bytes.putLong(5, Long.MIN_VALUE))),
				Named.of("sent in the future", patched(READ, (bytes) -> bytes.putLong(5, Long.MAX_VALUE))),
				Named.of("the last timestamp", patched(READ, (bytes) -> bytes.putLong(13, Long.MAX_VALUE))),
				Named.of("the first timestamp", patched(READ, (bytes) -> bytes.putLong(13, Long.MIN_VALUE))));
	}

	@TestFactory
	Stream<DynamicTest> aRequestWithNumbersAtTheirBoundsIsAnswered() {
		return tests(atTheBounds(), (request) -> {
			try (RawPeer member = greeted()) {
				assertThat(member.request(request).understoodReply()).isNotInstanceOf(Reply.Pong.class);
				assertThat(member.request(PING).understoodReply()).isInstanceOf(Reply.Pong.class);
			}
			assertThat(this.attacked.refused()).isZero();
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void halfAFrameAndSilenceEndTheConnection(boolean isMember, CapturedOutput output) throws IOException {
		try (RawPeer peer = isMember ? AttackedServer.greeted(new RawPeer(this.attacked.portForSilentMembers()))
				: new RawPeer(this.attacked.portForSilentStrangers())) {
			peer.send(new byte[] { 0, 1, 0, 0, 0 });
			assertThat(peer.isClosedWithin(PATIENCE)).isTrue();
		}
		String why = isMember ? "it was silent for 400 ms" : "no handshake within 400 ms";
		Awaitility.await().untilAsserted(() -> assertThat(output).contains(why));
	}

	@Test
	void aStrangerThatDripsIsCutOffAtTheTimeLimit(CapturedOutput output) throws IOException {
		try (RawPeer stranger = new RawPeer(this.attacked.portForSilentStrangers())) {
			boolean closed = false;
			byte[] setup = RawPeer.setupFrame();
			for (int i = 0; i < setup.length && !closed; i++) {
				stranger.send(new byte[] { (i == 2) ? (byte) setup.length : 0 });
				closed = stranger.isClosedWithin(Duration.ofMillis(40));
			}
			assertThat(closed).isTrue();
		}
		catch (SocketException closed) {
			assertThat(closed).hasMessageMatching("(?s).*([Rr]eset|[Bb]roken).*");
		}
		Awaitility.await().untilAsserted(() -> assertThat(output).contains("no handshake within 400 ms"));
	}

	@Test
	void aMemberThatDripsIsServed() throws IOException {
		try (RawPeer member = greeted()) {
			byte[] frame = ByteBuffer.allocate(9 + READ.length)
				.put(2, (byte) (6 + READ.length))
				.putInt(3, 7)
				.putShort(7, (short) RawPeer.REQUEST)
				.put(9, READ)
				.array();
			for (byte each : frame) {
				member.send(new byte[] { each });
			}
			assertThat(member.understoodReply()).isEqualTo(new Reply.Absent());
		}
	}

	/*
	 * Behind a handshake: a conversation in which some bits are changed, and any bytes.
	 */
	@Test
	void aMemberThatSendsGarbageIsAnsweredOrCutOff(CapturedOutput output) throws IOException {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		byte[] talk = conversation();
		for (int i = 0; i < 300; i++) {
			try (RawPeer member = greeted()) {
				byte[] sent = (i % 3 == 0) ? new byte[1 + random.nextInt(100_000)] : talk.clone();
				if (i % 3 == 0) {
					random.nextBytes(sent);
				}
				for (int bit = random.nextInt(6); bit >= 0; bit--) {
					sent[random.nextInt(sent.length)] ^= (byte) (1 << random.nextInt(8));
				}
				member.send(sent);
			}
			catch (SocketException closed) {
				assertThat(closed).as("seed %d", seed).hasMessageMatching("(?s).*([Rr]eset|[Bb]roken|[Aa]bort).*");
			}
		}
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.attacked.connections()).as("seed %d", seed)
				.isEqualTo(InternodeFixture.CONNECTIONS));
		assertThat(this.attacked.refused()).as("seed %d", seed).isBetween(50.0, 300.0);
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN") || line.contains("ERROR")))
			.as("seed %d", seed)
			.allMatch((line) -> line.contains("RefusalLog"));
	}

	private static byte[] conversation() {
		ByteBuffer talk = ByteBuffer.allocate(10_000);
		int stream = 101;
		for (byte[] message : new byte[][] { PING, READ, APPLY, page(10, 10, 10), READ }) {
			stream += 2;
			talk.put((byte) 0).putShort((short) (6 + message.length)).putInt(stream);
			talk.putShort((short) RawPeer.REQUEST).put(message);
			talk.put((byte) 0).putShort((short) 6).putInt(stream).putShort((short) RawPeer.CANCEL);
		}
		return Arrays.copyOf(talk.array(), talk.position());
	}

	private RawPeer greeted() throws IOException {
		return AttackedServer.greeted(new RawPeer(this.attacked.port()));
	}

	private static byte[] body(int type, Consumer<ByteBuffer> body) {
		ByteBuffer message = ByteBuffer.allocate(2000).put(0, (byte) type).putInt(1, 1000).position(HEAD_BYTES);
		body.accept(message);
		return Arrays.copyOf(message.array(), message.position());
	}

	private static byte[] entry(Consumer<ByteBuffer> entry) {
		return body(3, (to) -> entry.accept(to.put((byte) 0).putShort((short) 1).put((byte) 'k')));
	}

	private static void value(ByteBuffer to, int length) {
		to.put((byte) 0).put((byte) 1).putLong(1).putInt(1).putInt(length);
	}

	private static byte[] page(int records, int bytes, int examined) {
		return body(5,
				(to) -> to.putInt(100_000)
					.putInt(records)
					.putInt(bytes)
					.putInt(examined)
					.put((byte) 0)
					.putShort((short) 1)
					.put((byte) 'k')
					.putShort((short) 0));
	}

	private static byte[] patched(byte[] message, Consumer<ByteBuffer> patch) {
		byte[] patched = message.clone();
		patch.accept(ByteBuffer.wrap(patched));
		return patched;
	}

}
