package io.quorate.internode.wiring;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.util.internal.PlatformDependent;
import io.quorate.clock.Deadline;
import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.Wire;
import io.quorate.replica.Origin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.unit.DataSize;

import static io.quorate.internode.wiring.InternodeFixture.MAX_VALUE_BYTES;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A member that sends more than any node would: each flood meets a bound of memory, and
 * all others are served. A million frames of each with {@code quorate.endurance}.
 */
@ExtendWith(OutputCaptureExtension.class)
class FloodTests {

	private static final int MANY = Boolean.getBoolean("quorate.endurance") ? 1_000_000 : 10_000;

	/* Replies are more than the kernel's buffers hold. */
	private static final int LATE = 10_000;

	/** Of a server that gives up a silent connection after 4 s. */
	private static final InternodeProperties IMPATIENT = new InternodeProperties("127.0.0.1", null, null, 64,
			DataSize.ofMegabytes(48), Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(400),
			Duration.ofMinutes(2), Duration.ofMillis(500), Wire.VERSION);

	private static final Key KEY = Key.of("key");

	private static final byte[] PING = RawPeer.bytes(new Request.Ping(1, DataStatus.EMPTY));

	private static final byte[] READ = withTime(RawPeer.bytes(new Request.Read(KEY, 1000, 1000)), Integer.MAX_VALUE);

	private static final byte[] APPLY = withTime(RawPeer.bytes(new Request.Apply(KEY, live(1), Origin.CLIENT)),
			Integer.MAX_VALUE);

	private static final byte[] NONE = {};

	private static final int PART = 2048;

	private static final int FIRST_PART = RawPeer.REQUEST | RawPeer.FOLLOWS;

	private static final int NEXT_PART = RawPeer.PAYLOAD | RawPeer.FOLLOWS;

	/* Behind the stream of the handshake. */
	private static final int FIRST = 3;

	/* Of one connection: a block of frames that was read before it stopped to read. */
	private static final int BACKLOG_BYTES = 2 << 20;

	private static final int MESSAGE_BYTES = Wire.maxMessageBytes(MAX_VALUE_BYTES);

	private static final int SLACK_BYTES = 8 << 20;

	private final InternodeFixture nodes = new InternodeFixture();

	private final InternodeServer server = this.nodes.serve(IMPATIENT);

	private final SteadyReader reader = new SteadyReader(this.nodes, this.nodes.connected(this.server.port()));

	@AfterEach
	void othersAreServedAndNothingIsKept() throws InterruptedException {
		this.reader.requireThatOthersLeaveNothing(this.server);
		this.nodes.close();
	}

	/* Half of what it asks for is refused. */
	@Test
	void aMemberThatAsksOnAndOnAndReadsNoReplyIsCutOff(CapturedOutput output) throws IOException {
		byte[] late = withTime(READ, 0);
		try (RawPeer member = RawPeer.withLittleRoom(this.server.port())) {
			greet(member);
			Thread flood = flood(() -> {
				for (int i = 0; i < 1_000_000; i += 1000) {
					member.frames(FIRST + 2 * i, 1000, RawPeer.REQUEST, (i % 2000 == 0) ? READ : late);
				}
			});
			Deadline end = InternodeFixture.in(60_000);
			long most = 0;
			while (flood.isAlive() && !end.isExpired()) {
				most = Math.max(most, this.server.bytesInFlight());
				this.reader.requireMore();
			}
			assertThat(flood.isAlive()).as("not cut off").isFalse();
			assertThat(most).as("of replies that it does not read").isBetween(1L, (long) BACKLOG_BYTES);
		}
		assertThat(output).contains("it has not taken its replies for 4000 ms");
		assertThat(this.nodes.serverMeters.get("quorate.internode.connections.refused").counter().count()).isOne();
	}

	@Test
	void aMemberThatReadsItsRepliesLateGetsThemAll() throws Exception {
		this.nodes.replica.put(KEY, live(900));
		try (RawPeer member = RawPeer.withLittleRoom(this.server.port())) {
			greet(member);
			Thread flood = flood(() -> member.frames(FIRST, LATE, RawPeer.REQUEST, READ));
			Awaitility.await().until(() -> this.server.bytesInFlight() > 256 * 1024);
			BitSet replied = new BitSet();
			for (int i = 0; i < LATE; i++) {
				RawPeer.Frame frame = member.nextFrame();
				assertThat(replied.get(frame.stream())).as("one reply for each request").isFalse();
				replied.set(frame.stream());
				assertThat(frame.reply()).isEqualTo(new Reply.Found(live(900)));
			}
			assertThat(flood.join(PATIENCE)).isTrue();
		}
	}

	@Test
	void cancelsOfNoRequestAreIgnored() throws IOException {
		long before = PlatformDependent.usedDirectMemory();
		try (RawPeer member = greeted()) {
			member.frames(FIRST, MANY, RawPeer.CANCEL, NONE);
			assertThat(member.frame(1, RawPeer.REQUEST, PING).understoodReply()).isInstanceOf(Reply.Pong.class);
		}
		assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(SLACK_BYTES);
	}

	/*
	 * A request that is given up at once costs the node its work, and its peer nothing.
	 */
	@Test
	void requestsThatAreCancelledAtOnceAreCancelledHere() throws IOException {
		this.nodes.replica.keepBack();
		int before = this.nodes.replica.cancelled();
		try (RawPeer member = greeted()) {
			for (int i = 0; i < MANY / 4; i++) {
				member.frame(FIRST, RawPeer.REQUEST, READ).frame(FIRST, RawPeer.CANCEL, NONE);
			}
			assertThat(member.frame(1, RawPeer.REQUEST, PING).understoodReply()).isInstanceOf(Reply.Pong.class);
			assertThat(this.nodes.replica.cancelled() - before).isEqualTo(MANY / 4);
		}
	}

	@Test
	void requestsOfAConnectionThatIsCutAreGivenUp() throws IOException {
		this.nodes.replica.keepBack();
		int before = this.nodes.replica.cancelled();
		int calls = this.nodes.replica.calls();
		try (RawPeer member = greeted()) {
			member.frames(FIRST, 10, RawPeer.REQUEST, READ);
			Awaitility.await().until(() -> this.nodes.replica.calls() >= calls + 10);
			member.reset();
		}
		Awaitility.await().until(() -> this.nodes.replica.cancelled() >= before + 10);
	}

	@Test
	void writesThatAreCancelledAtOnceCountUntilTheirOutcome() throws IOException {
		this.nodes.replica.keepBack();
		try (RawPeer member = greeted()) {
			int before = this.nodes.replica.calls();
			for (int i = 0; i < 1000; i++) {
				member.frame(FIRST, RawPeer.REQUEST, APPLY).frame(FIRST, RawPeer.CANCEL, NONE);
			}
			member.frame(1, RawPeer.REQUEST, APPLY);
			Reply last = null;
			while (last == null) {
				RawPeer.Frame frame = member.nextFrame();
				last = (frame.stream() == 1) ? frame.reply() : null;
			}
			assertThat(last).isInstanceOf(Reply.Failed.class);
			assertThat(this.server.requestsInWork()).isGreaterThanOrEqualTo(IMPATIENT.maxRequests());
			assertThat(this.nodes.replica.calls() - before).isGreaterThanOrEqualTo(IMPATIENT.maxRequests());
		}
	}

	@Test
	void aStreamMayBeUsedAgainOnceItsReplyHasBeenSent() throws IOException {
		try (RawPeer member = greeted()) {
			for (int i = 0; i < 1000; i++) {
				assertThat(member.frame(FIRST, RawPeer.REQUEST, PING).understoodReply()).isInstanceOf(Reply.Pong.class);
			}
		}
	}

	@Test
	void aMessageWithoutEndEndsItsStreamAlone() throws IOException {
		long before = PlatformDependent.usedDirectMemory();
		try (RawPeer member = greeted()) {
			byte[] part = new byte[60_000];
			member.frame(FIRST, FIRST_PART, part);
			for (int i = 0; i < 2 * MESSAGE_BYTES / part.length; i++) {
				member.frame(FIRST, NEXT_PART, part);
				assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(3L * MESSAGE_BYTES + SLACK_BYTES);
			}
			member.frame(1, RawPeer.REQUEST, PING);
			assertThat(member.nextFrame().body().toString(StandardCharsets.US_ASCII))
				.contains("a message of more than %d bytes".formatted(MESSAGE_BYTES));
			assertThat(member.understoodReply()).isInstanceOf(Reply.Pong.class);
		}
	}

	@Test
	void messagesWithoutEndInManyStreamsCutOffTheirConnection(CapturedOutput output)
			throws IOException, InterruptedException {
		long before = PlatformDependent.usedDirectMemory();
		try (RawPeer member = greeted()) {
			Thread flood = flood(() -> member.frames(FIRST, 100_000, FIRST_PART, new byte[PART]));
			Deadline end = InternodeFixture.in(60_000);
			long most = 0;
			while (flood.isAlive() && !end.isExpired()) {
				most = Math.max(most, PlatformDependent.usedDirectMemory() - before);
				this.reader.requireMore();
			}
			assertThat(most).isLessThan(3L * MESSAGE_BYTES + SLACK_BYTES);
			assertThat(member.isClosedWithin(PATIENCE)).isTrue();
		}
		assertThat(output).contains("bytes of unfinished messages are under way, and 2048 more have come");
	}

	@Test
	void messagesWithoutEndAreBoundedOverAllConnectionsOfAMember() throws IOException {
		byte[] part = new byte[65_000];
		int each = MESSAGE_BYTES / part.length;
		List<RawPeer> members = new ArrayList<>();
		long before = PlatformDependent.usedDirectMemory();
		try {
			for (int i = 0; i < 6; i++) {
				members.add(greeted());
				sendUntilCutOff(members.getLast(), each, part);
			}
			AtomicInteger open = new AtomicInteger();
			for (RawPeer member : members) {
				open.addAndGet(member.isClosedWithin(Duration.ofMillis(100)) ? 0 : 1);
			}
			assertThat(open).as("connections with a message each").hasValue(4);
			assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(8L * MESSAGE_BYTES + SLACK_BYTES);
		}
		finally {
			for (RawPeer member : members) {
				member.close();
			}
		}
	}

	private static void sendUntilCutOff(RawPeer member, int parts, byte[] part) throws IOException {
		try {
			member.frame(FIRST, FIRST_PART, part);
			for (int i = 1; i < parts; i++) {
				member.frame(FIRST, NEXT_PART, part);
			}
			member.frame(1, RawPeer.REQUEST, PING).understoodReply();
		}
		catch (SocketException | EOFException closed) {
			// By its bound, which the test requires of the right ones.
		}
	}

	@Test
	void theConnectionsOfAMemberAreBounded(CapturedOutput output) throws IOException {
		InternodeServer patient = this.nodes.serve();
		List<RawPeer> members = new ArrayList<>();
		try {
			for (int i = 0; i < 256; i++) {
				members.add(greet(new RawPeer(patient.port())));
			}
			try (RawPeer oneMore = new RawPeer(patient.port())) {
				oneMore.greet("other");
				assertThat(oneMore.isClosedWithin(PATIENCE)).isTrue();
			}
			assertThat(output).contains("its node has 256 connections already");
			members.removeLast().close();
			Awaitility.await().until(() -> patient.connections() == 255);
			members.add(greet(new RawPeer(patient.port())));
		}
		finally {
			for (RawPeer member : members) {
				member.close();
			}
		}
	}

	private static byte[] withTime(byte[] request, int remainingMillis) {
		return ByteBuffer.wrap(request.clone()).putInt(1, remainingMillis).array();
	}

	private RawPeer greeted() throws IOException {
		return greet(new RawPeer(this.server.port()));
	}

	private static RawPeer greet(RawPeer member) throws IOException {
		assertThat(member.greet("other").understoodReply()).isInstanceOf(Reply.Welcome.class);
		return member;
	}

	/** Sends until the server has cut off the sender. */
	private interface Sending {

		void send() throws IOException;

	}

	private static Thread flood(Sending sending) {
		return Thread.ofVirtual().start(() -> {
			try {
				sending.send();
			}
			catch (IOException closed) {
				// The end of a flood, which tests require of the server.
			}
		});
	}

}
