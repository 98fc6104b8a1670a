package io.quorate.internode.wiring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.netty.util.internal.PlatformDependent;
import io.quorate.entry.Key;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.wire.Reply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.comparison.Round;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.MAX_VALUE_BYTES;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.in;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A member that is broken or taken over, and replies with arbitrary bytes to the node
 * that has connected to it: each request has one outcome, and the requests to other
 * members are served.
 */
@ExtendWith(OutputCaptureExtension.class)
class HostileServerTests {

	private static final Key KEY = Key.of("key");

	private static final int REPLY = RawPeer.PAYLOAD;

	private static final int PART = RawPeer.PAYLOAD | RawPeer.FOLLOWS;

	/* Type and timestamp of a reply, and no fields. */
	private static final int HEAD_BYTES = 1 + 12 + 2;

	private final InternodeFixture nodes = new InternodeFixture();

	private final SteadyReader reader = new SteadyReader(this.nodes, this.nodes.connected(this.nodes.serve().port()));

	private final RawServer hostile;

	private final PeerReplica peer;

	HostileServerTests() throws IOException {
		this.hostile = new RawServer();
		this.peer = this.nodes.connected(this.hostile.port());
		// It is ready before it has its second connection for small messages.
		Awaitility.await().until(() -> this.hostile.accepted() == InternodeFixture.CONNECTIONS);
	}

	@AfterEach
	void othersAreServedAndNothingIsKept() throws IOException, InterruptedException {
		this.reader.requireMore();
		this.reader.stop();
		Awaitility.await().pollInterval(Duration.ofMillis(2)).untilAsserted(() -> {
			assertThat(this.peer.requestsInFlight()).isZero();
			assertThat(this.peer.bytesInFlight()).isZero();
		});
		this.hostile.close();
		this.nodes.close();
	}

	private record Case(RawServer.Script script, String outcome) {
	}

	private static Named<Case> script(String name, RawServer.Script script, String outcome) {
		return Named.of(name, new Case(script, outcome));
	}

	private static Named<Case> frame(String name, int header, int size, String outcome) {
		return script(name, (line, stream) -> line.frame(stream, header, new byte[size]), outcome);
	}

	private static Named<Case> message(String name, byte[] message, String outcome) {
		return script(name, (line, stream) -> line.frame(stream, REPLY, message), outcome);
	}

	private static Stream<Named<Case>> faults() {
		String otherWay = "it speaks in another way than nodes do";
		return Stream.of(script("length 0", (line, _) -> line.send(new byte[3]), "a frame of 0 bytes is too short"),
				script("length 5", (line, _) -> line.send(new byte[] { 0, 0, 5, 1, 2, 3, 4, 5 }),
						"a frame of 5 bytes is too short"),
				script("largest length", (line, _) -> line.send(new byte[] { -1, -1, -1 }),
						"a frame of 16777215 bytes, at most 65552 are taken"),
				frame("a request", RawPeer.REQUEST, 40, otherWay), frame("a setup", RawPeer.SETUP, 40, otherWay),
				frame("another flag", REPLY | 0x40, 40, otherWay), frame("another type", 0x06 << 8, 8, otherWay),
				frame("the last type", 0xff << 8, 8, otherWay),
				frame("a cancel", RawPeer.CANCEL, 0, "it cancels a reply"),
				frame("a small part", PART, 1023, "a part of 1023 bytes"),
				script("a negative stream", (line, _) -> line.frame(-1, REPLY, new byte[40]), otherWay),
				script("an error of the connection", (line, _) -> line.frame(0, RawPeer.ERROR, words("bye\n")),
						"the peer ends the connection: bye"),
				message("no bytes", new byte[0], "not understood"),
				message("an unknown type", new byte[HEAD_BYTES], "unknown type of reply 0"),
				message("a byte left over", new byte[] { 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
						"1 bytes left over"),
				message("a page of all numbers", page(Integer.MAX_VALUE), "not understood"),
				message("a page of -1 entries and one", page(-1), "bytes left over"),
				message("headers without number", head(12, 6).putShort((short) 0).putInt(Integer.MAX_VALUE).array(),
						"a count of 2147483647"),
				message("bits without number", head(11, 4).putInt(Integer.MAX_VALUE).array(), "a count of 2147483647"),
				message("the largest length of a value",
						head(5, 18).put((byte) 0).put((byte) 1).putLong(1).putInt(1).putInt(Integer.MAX_VALUE).array(),
						"2147483647 bytes expected"),
				script("more than was asked for",
						(line, stream) -> line
							.frame(stream, PART, Arrays.copyOf(RawServer.bytes(new Reply.Absent()), 40_000))
							.frame(stream, REPLY, new byte[40_000]),
						"a reply of 80000 bytes to a request for at most 65536"),
				script("parts without end", (line, stream) -> {
					for (int i = 0; i < 270; i++) {
						line.frame(stream, PART, new byte[65_000]);
					}
				}, "a reply of 130000 bytes to a request for at most 65536"));
	}

	@TestFactory
	Stream<DynamicTest> aFaultEndsTheConnectionAndItsRequestsForANamedReason() {
		return DynamicTest.stream(faults(), (fault) -> {
			this.hostile.reply(fault.script());
			assertThat(failure(read())).contains(fault.outcome()).contains("with the request under way");
			this.hostile.reply((line, stream) -> line.reply(stream, new Reply.Absent()));
			requireServed();
			this.reader.requireMore();
		});
	}

	private static Stream<Named<Case>> endsOfAStream() {
		return Stream.of(
				script("an error", (line, stream) -> line.frame(stream, RawPeer.ERROR, words("why\n")),
						"the request failed on its way: why"),
				script("a part and an error",
						(line, stream) -> line.frame(stream, PART, new byte[2000])
							.frame(stream, RawPeer.ERROR, words("why\n")),
						"the request failed on its way: why"),
				message("a reply to another request", RawServer.bytes(new Reply.Completed(new Round(1, 1))),
						"a reply to another request: Completed"));
	}

	@TestFactory
	Stream<DynamicTest> theEndOfAStreamFailsItsRequestAlone() {
		return DynamicTest.stream(endsOfAStream(), (end) -> {
			int before = this.hostile.accepted();
			this.hostile.reply(end.script());
			assertThat(failure(read())).contains(end.outcome());
			this.hostile.reply((line, stream) -> line.reply(stream, new Reply.Absent()));
			requireServed();
			assertThat(this.hostile.accepted()).as("the connection goes on").isEqualTo(before);
		});
	}

	@Test
	void repliesThatNoRequestWaitsForAreDropped() {
		int before = this.hostile.accepted();
		this.hostile.reply((line, stream) -> {
			for (int other : new int[] { 0, 2, stream + 1, stream + 100_000, Integer.MAX_VALUE }) {
				line.reply(other, new Reply.Found(live(10)));
				line.frame(Math.max(1, other), RawPeer.ERROR, words("no"));
				line.frame(other, PART, new byte[65_000]);
			}
			line.reply(stream, new Reply.Absent());
			line.reply(stream, new Reply.Found(live(10)));
			line.reply(stream, new Reply.Found(live(10)));
		});
		for (int i = 0; i < 300; i++) {
			assertThat(read()).isEqualTo(new ReadReply.Absent());
		}
		assertThat(this.hostile.accepted()).as("the connections go on").isEqualTo(before);
	}

	@Test
	void repliesToRequestsThatWereGivenUpAreDropped() {
		int before = this.hostile.accepted();
		List<Runnable> late = new ArrayList<>();
		this.hostile.reply((line, stream) -> {
			line.frame(stream, PART, new byte[2000]);
			synchronized (late) {
				late.add(() -> {
					try {
						line.reply(stream, new Reply.Found(live(10)));
					}
					catch (IOException closed) {
						throw new UncheckedIOException(closed);
					}
				});
			}
		});
		List<Mono<ReadReply>> reads = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			reads.add(this.peer.read(key(i), in(50)));
		}
		assertThat(Flux.merge(reads).collectList().block(PATIENCE))
			.allSatisfy((reply) -> assertThat(failure(reply)).contains("no reply before the deadline"));
		Awaitility.await().untilAsserted(() -> {
			synchronized (late) {
				assertThat(late).isNotEmpty();
			}
		});
		synchronized (late) {
			late.forEach(Runnable::run);
		}
		this.hostile.reply((line, stream) -> line.reply(stream, new Reply.Absent()));
		requireServed();
		assertThat(this.hostile.accepted()).as("the connections go on").isEqualTo(before);
	}

	/* Each would make the node hold more than it has asked for. */
	@Test
	void partsOfManyRepliesAreBounded() {
		long before = PlatformDependent.usedDirectMemory();
		this.hostile.reply((line, stream) -> {
			for (int i = 0; i < 200; i++) {
				line.frame(stream, PART, new byte[65_000]);
			}
		});
		List<Mono<ReadReply>> reads = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			reads.add(this.peer.read(key(i), soon()));
		}
		// A read that begins after the first refusal finds no connection.
		String refused = "to a request for at most 65536";
		assertThat(Flux.merge(reads).collectList().block(PATIENCE))
			.anySatisfy((reply) -> assertThat(failure(reply)).contains(refused))
			.allSatisfy((reply) -> assertThat(failure(reply)).containsAnyOf(refused, "no connection to server"));
		assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(MAX_VALUE_BYTES);
		this.hostile.reply((line, stream) -> line.reply(stream, new Reply.Absent()));
		requireServed();
	}

	@Test
	void garbageEndsTheConnectionAndNoOtherHarm(CapturedOutput output) {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		this.hostile.reply((line, stream) -> {
			byte[] garbage = new byte[1 + random.nextInt(5000)];
			random.nextBytes(garbage);
			if (random.nextBoolean()) {
				ByteBuffer.wrap(garbage).putInt(0, stream);
				line.frame(stream, REPLY, garbage);
			}
			line.send(garbage);
		});
		for (int i = 0; i < 100; i++) {
			assertThat(this.peer.read(KEY, in(200)).block(PATIENCE)).as("seed %d", seed)
				.isInstanceOf(ReadReply.Failed.class);
		}
		this.hostile.reply((line, stream) -> line.reply(stream, new Reply.Absent()));
		requireServed();
		assertThat(output.getOut().lines()).as("seed %d", seed)
			.filteredOn((line) -> line.contains("WARN") || line.contains("ERROR") || line.contains("Exception"))
			.allMatch((line) -> line.contains("micrometer"));
	}

	private static byte[] words(String words) {
		return words.getBytes(StandardCharsets.US_ASCII);
	}

	private static ByteBuffer head(int type, int more) {
		return ByteBuffer.allocate(HEAD_BYTES + more).put(0, (byte) type).position(HEAD_BYTES);
	}

	private static byte[] page(int count) {
		return head(7, 9).putShort((short) 0).putInt(count).array();
	}

	private ReadReply read() {
		ReadReply reply = this.peer.read(KEY, soon()).block(PATIENCE);
		assertThat(reply).isNotNull();
		return reply;
	}

	private static String failure(ReadReply reply) {
		return (reply instanceof ReadReply.Failed(var failure)) ? failure.detail() : "no failure: " + reply;
	}

	/** The peer is connected, or connects again, and its replies are taken. */
	private void requireServed() {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(2))
			.until(() -> this.peer.isReady() && read().equals(new ReadReply.Absent()));
		for (int i = 0; i < 4; i++) {
			Awaitility.await().pollInterval(Duration.ofMillis(2)).until(() -> read().equals(new ReadReply.Absent()));
		}
	}

}
