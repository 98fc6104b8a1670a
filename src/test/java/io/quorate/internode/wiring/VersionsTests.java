package io.quorate.internode.wiring;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.entry.ScanRange;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.ProgramExchange;
import io.quorate.internode.server.InternodeServer;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.MemberState;
import io.quorate.membership.Program;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.meter.TraceContext;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.PageLimit;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.PATIENT;
import static io.quorate.internode.wiring.InternodeFixture.key;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/** Nodes of two versions of the protocol, and the programs that they report. */
@ExtendWith(OutputCaptureExtension.class)
class VersionsTests {

	private static final Program PROGRAM = new Program("9.9", 1, 2);

	private static final int LARGE = 3 * 1024 * 1024;

	private final InternodeFixture nodes = new InternodeFixture();

	private final Reports reports = new Reports(PROGRAM);

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@ParameterizedTest
	@CsvSource({ "6, 6", "6, 7", "7, 6", "7, 7", "6, 8", "8, 7", "7, 8", "8, 8" })
	void nodesOfTwoVersionsServeEachOther(int ofServer, int ofClient) {
		this.nodes.serverPrograms = new Reports(PROGRAM);
		this.nodes.clientPrograms = this.reports;
		InternodeServer server = this.nodes.serve(with(ofServer));
		PeerReplica peer = this.nodes.connected(server.port(), with(ofClient));
		for (int size : new int[] { 0, 100, LARGE }) {
			peer.apply(key(size), live(size), soon()).block(PATIENCE);
			assertThat(this.nodes.replica.get(key(size))).isEqualTo(live(size));
			assertThat(peer.read(key(size), soon()).block(PATIENCE)).isEqualTo(new ReadReply.Found(live(size)));
		}
		boolean areBothNewer = ofServer >= 7 && ofClient >= 7;
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.reports.heard).as("by the handshakes, and keep-alives later")
				.hasSizeGreaterThan(InternodeFixture.CONNECTIONS));
		assertThat(this.reports.heard).containsOnly(areBothNewer ? PROGRAM : Program.OLDER);
	}

	/* The program before sends values, which its peer drops, and knows no way down. */
	@ParameterizedTest
	@CsvSource({ "6, 6, false", "6, 7, false", "7, 6, false", "7, 7, true", "7, 8, true", "8, 6, false" })
	void pagesOfHeadersAndInDescendingOrder(int ofServer, int ofClient, boolean areKnown) {
		PeerReplica peer = this.nodes.connected(this.nodes.serve(with(ofServer)).port(), with(ofClient));
		for (int i = 0; i < 10; i++) {
			this.nodes.replica.put(key(i), live(100 * i));
		}
		PageLimit limit = new PageLimit(3, 1 << 20, 100);
		ScanRange up = ScanRange.ascending(key(2), key(8));
		ScanRange down = ScanRange.descending(key(2), key(8));
		assertThat(keys(peer.page(new PageRequest(up, limit, false), soon()).block(PATIENCE))).containsExactly("page",
				key(2), key(3), key(4), "next", key(5).toString());
		assertThat(keys(peer.page(new PageRequest(up, limit, true), soon()).block(PATIENCE))).containsExactly("headers",
				key(2), key(3), key(4), "next", key(5).toString());
		for (boolean isHeadersOnly : new boolean[] { false, true }) {
			PageReply reply = peer.page(new PageRequest(down, limit, isHeadersOnly), soon()).block(PATIENCE);
			if (areKnown) {
				assertThat(keys(reply)).containsExactly(isHeadersOnly ? "headers" : "page", key(7), key(6), key(5),
						"next", key(5).toString());
			}
			else {
				assertThat(reply).isInstanceOfSatisfying(PageReply.Failed.class,
						(failed) -> assertThat(failed.failure().reason()).isEqualTo(Reason.UNSUPPORTED));
			}
		}
		assertThat(this.nodes.replica.headerPages()).as("pages without values").isEqualTo(areKnown ? 2 : 0);
		assertThat(peer.read(key(1), soon()).block(PATIENCE)).as("the connection stays")
			.isEqualTo(new ReadReply.Found(live(100)));
	}

	private static List<Object> keys(@Nullable PageReply reply) {
		List<Object> keys = new ArrayList<>();
		switch (reply) {
			case PageReply.Page(var page) -> {
				keys.add("page");
				page.records().forEach((item) -> keys.add(item.key()));
				keys.addAll(List.of("next", String.valueOf(page.next())));
			}
			case PageReply.Headers(var page) -> {
				keys.add("headers");
				page.headers().forEach((header) -> {
					keys.add(header.key());
					assertThat(key(header.valueSizeBytes() / 100)).isEqualTo(header.key());
				});
				keys.addAll(List.of("next", String.valueOf(page.next())));
			}
			case PageReply.Failed(var failure) -> keys.add(failure);
			case null -> keys.add("nothing");
		}
		return keys;
	}

	@ParameterizedTest
	@CsvSource({ "7, true", "6, false" })
	void aTraceIsPassedOnByVersionsThatHaveFields(int version, boolean isPassedOn) {
		List<String> spans = new CopyOnWriteArrayList<>();
		this.nodes.serverSpans = (place, work) -> (outcome) -> spans.add("%s %s %s".formatted(place, work, outcome));
		PeerReplica peer = this.nodes.connected(this.nodes.serve(with(version)).port());
		TraceContext place = new TraceContext(1, 2, 3);
		peer.within(place).read(key(1), soon()).block(PATIENCE);
		peer.within(place).apply(key(1), live(10), soon()).block(PATIENCE);
		peer.read(key(1), soon()).block(PATIENCE);
		Awaitility.await()
			.untilAsserted(() -> assertThat(spans).containsExactly(
					isPassedOn ? new String[] { place + " read answered", place + " apply answered" } : new String[0]));
	}

	@ParameterizedTest
	@CsvSource({ "true, 'that node'", "false, 'this node'" })
	void afterAFinalizedUpgradeAnOlderProgramIsRefusedByBothSides(boolean isServerOlder, String older,
			CapturedOutput output) {
		Program finalized = new Program("9.9", 2, 2);
		this.nodes.serverPrograms = new Reports(isServerOlder ? PROGRAM : finalized);
		Reports ofClient = new Reports(isServerOlder ? finalized : PROGRAM);
		this.nodes.clientPrograms = ofClient;
		InternodeServer server = this.nodes.serve(with(isServerOlder ? 6 : 7));
		PeerReplica peer = this.nodes.peer(server.port(), with(isServerOlder ? 7 : 6));
		String versions = isServerOlder ? "6 there, 7 here" : "7 there, 6 here";
		Awaitility.await()
			.untilAsserted(() -> assertThat(output)
				.contains("is refused, protocol versions: %s; the program of %s".formatted(versions, older)));
		assertThat(peer.state()).isEqualTo(MemberState.DISCONNECTED);
		assertThat(this.nodes.clientMeters.get("quorate.internode.mismatch").gauge().value()).isEqualTo(1);
		assertThat(ofClient.refusals).isNotEmpty().allSatisfy((why) -> assertThat(why).contains(versions));
		server.close();
		Awaitility.await().until(() -> ofClient.refusals.getLast().equals("null"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.nodes.clientMeters.get("quorate.internode.mismatch").gauge().value())
				.as("its peer is gone")
				.isZero());
	}

	@Test
	void theNewestLevelLeavesOutTheVersionOfTheProgramBefore() throws Exception {
		assertThat(Wire.newestLevelOf(Wire.VERSION)).isEqualTo(FormatLevel.NEWEST);
		assertThat(Wire.newestLevelOf(Wire.VERSION - 1)).isEqualTo(FormatLevel.NEWEST - 1);
		assertThat(Wire.newestLevelOf(Wire.OLDEST_VERSION)).isEqualTo(FormatLevel.FIRST);
		assertThat(Wire.oldestVersionAt(FormatLevel.NEWEST)).isEqualTo(Wire.VERSION);
		assertThat(Wire.oldestVersionAt(FormatLevel.NEWEST - 1)).isEqualTo(Wire.VERSION - 1);
		assertThat(Wire.oldestVersionAt(FormatLevel.FIRST)).isEqualTo(Wire.OLDEST_VERSION);
		assertThat(Wire.oldestVersionAt(FormatLevel.UNDECIDED)).isEqualTo(Wire.OLDEST_VERSION);
		Field property = InternodeProperties.class.getDeclaredField("newestVersion");
		assertThat(property.getAnnotation(Min.class).value()).isEqualTo(Wire.OLDEST_VERSION);
		assertThat(property.getAnnotation(Max.class).value()).isEqualTo(Wire.VERSION);
	}

	private static InternodeProperties with(int newestVersion) {
		return new InternodeProperties("127.0.0.1", null, null, PATIENT.maxRequests(), PATIENT.maxBytes(),
				Duration.ofMillis(50), PATIENT.suspectAfter(), PATIENT.disconnectAfter(), PATIENT.connectTimeout(),
				PATIENT.maxBackoff(), newestVersion);
	}

	/** The reports that one node has received. */
	private record Reports(Program own, List<Program> heard, List<String> refusals) implements ProgramExchange {

		private Reports(Program own) {
			this(own, new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
		}

		@Override
		public void heard(String peer, Program theirs) {
			this.heard.add(theirs);
		}

		@Override
		public void refused(String peer, @Nullable String why) {
			this.refusals.add(String.valueOf(why));
		}

	}

}
