package io.quorate.internode.wiring;

import org.awaitility.Awaitility;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

import io.quorate.Authority;
import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.TlsMode;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.tls.EncryptionTests;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Attacks on the encrypted port that peers reach, by the owner of a member's certificate:
 * inside the records of TLS, with records that are none, and with records of one byte.
 */
@ExtendWith(OutputCaptureExtension.class)
class EncryptedHostilePeerTests {

	private static final byte[] READ = RawPeer.bytes(new Request.Read(Key.of("key"), 1000, 1000));

	private static final byte[] PING = RawPeer.bytes(new Request.Ping(1, DataStatus.EMPTY));

	private static final int RECORD_HEAD_BYTES = 5;

	private static DefaultSslBundleRegistry bundles;

	private static SSLContext ofAMember;

	private AttackedServer attacked;

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		Authority authority = new Authority(directory, "authority");
		bundles = new DefaultSslBundleRegistry("nodes", authority.issue("node", "ip:127.0.0.1").bundle());
		ofAMember = authority.issue("other", "dns:other.example.org").bundle().createSslContext();
	}

	@BeforeEach
	void startServer() {
		this.attacked = AttackedServer.start(Encryption.by(TlsMode.REQUIRED, "nodes", bundles, EncryptionTests.HOSTS));
	}

	@AfterEach
	void othersAreServedAndNothingIsKept() throws InterruptedException {
		this.attacked.close();
	}

	private RawPeer stranger() throws IOException {
		return RawPeer.encrypted(this.attacked.port(), ofAMember);
	}

	private RawPeer member() throws IOException {
		return member(this.attacked.port());
	}

	private static RawPeer member(int port) throws IOException {
		return AttackedServer.greeted(RawPeer.encrypted(port, ofAMember));
	}

	private static Named<Attack> attack(String name, Attack.Bytes bytes, String reason) {
		return Named.of(name, new Attack(bytes, reason));
	}

	private static Stream<Named<Attack>> inRecords() {
		return Stream.of(
				attack("largest length", (peer) -> peer.send(new byte[] { -1, -1, -1 }),
						"a frame of 16777215 bytes, at most 65552 are taken"),
				attack("no type", (peer) -> peer.frame(5, 0, new byte[40]), "in another way than nodes do"),
				attack("unknown type of request", (peer) -> peer.request(new byte[RECORD_HEAD_BYTES * 6]),
						"unknown type of request 0"),
				attack("part of a stream that begins anew",
						(peer) -> peer.frame(5, RawPeer.REQUEST | RawPeer.FOLLOWS, new byte[2000])
							.frame(5, RawPeer.REQUEST, READ),
						"in another way than nodes do"),
				attack("second handshake", (peer) -> peer.greet("other"), "in another way than nodes do"));
	}

	private static Stream<Named<Attack>> beforeTheHandshake() {
		return Stream.of(
				attack("largest length", (peer) -> peer.send(new byte[] { -1, -1, -1 }), "at most 4096 are taken"),
				attack("HTTP", (peer) -> peer.send(http()), "at most 4096 are taken"),
				attack("a request", (peer) -> peer.setup().request(READ), "a request before its handshake"));
	}

	private static Stream<Named<Attack>> besideRecords() {
		return Stream.of(attack("HTTP", (peer) -> peer.sendBeside(http()), "it does not speak TLS"),
				attack("a forged record", (peer) -> peer.sendBeside(record(23, 200)), "TLS: Tag mismatch"),
				attack("the largest record", (peer) -> peer.sendBeside(record(23, 0xffff)),
						"TLS: Input record too big"),
				attack("a record of no bytes", (peer) -> peer.sendBeside(record(23, 0)), "it does not speak TLS"),
				attack("an alert that is not encrypted", (peer) -> peer.sendBeside(record(21, 2)),
						"TLS: Unexpected plaintext alert"));
	}

	@TestFactory
	Stream<DynamicTest> aBrokenMemberIsCutOffForANamedReason(CapturedOutput output) {
		return DynamicTest.stream(Stream.concat(inRecords(), besideRecords()), (attack) -> {
			try (RawPeer member = member()) {
				this.attacked.requireCutOff(member, attack, output);
			}
		});
	}

	@TestFactory
	Stream<DynamicTest> aStrangerIsCutOffForANamedReason(CapturedOutput output) {
		return DynamicTest.stream(beforeTheHandshake(), (attack) -> {
			try (RawPeer stranger = stranger()) {
				this.attacked.requireCutOff(stranger, attack, output);
			}
			assertThat(this.attacked.replica().lastOrigin()).isNull();
		});
	}

	@Test
	void halfARecordAndSilenceEndTheConnection(CapturedOutput output) throws IOException {
		try (RawPeer member = member(this.attacked.portForSilentMembers())) {
			member.sendBeside(new byte[] { 23, 3, 3, 1, 0, 5, 6, 7 });
			assertThat(member.isClosedWithin(InternodeFixture.PATIENCE)).isTrue();
		}
		Awaitility.await().untilAsserted(() -> assertThat(output).contains("it was silent for 400 ms"));
	}

	@Test
	void aMemberWithOneByteInEachRecordIsServed() throws IOException {
		try (RawPeer member = member()) {
			ByteBuffer frame = ByteBuffer.allocate(9 + READ.length).put((byte) 0).putShort((short) (6 + READ.length));
			frame.putInt(7).putShort((short) RawPeer.REQUEST).put(READ);
			for (byte each : frame.array()) {
				member.send(new byte[] { each });
			}
			assertThat(member.understoodReply()).isEqualTo(new Reply.Absent());
		}
	}

	@Test
	void framesOfNoStreamAreIgnored() throws IOException {
		double before = this.attacked.refused();
		try (RawPeer member = member()) {
			member.frames(5, 1000, RawPeer.PAYLOAD | RawPeer.FOLLOWS, new byte[5])
				.frames(5, 1000, RawPeer.CANCEL, new byte[7]);
			assertThat(member.request(PING).understoodReply()).isInstanceOf(Reply.Pong.class);
		}
		assertThat(this.attacked.refused()).isEqualTo(before);
	}

	private static byte[] http() {
		return "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
	}

	private static byte[] record(int type, int length) {
		return ByteBuffer.allocate(RECORD_HEAD_BYTES + length)
			.put((byte) type)
			.putShort((short) 0x0303)
			.putShort((short) length)
			.array();
	}

}
