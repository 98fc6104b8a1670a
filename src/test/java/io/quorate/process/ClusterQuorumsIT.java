package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Span;
import io.quorate.api.SpanReceiver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Quorums over three nodes, through any of them: what was written is read while enough
 * replicas are up, and otherwise the answer says at once, and precisely, what was
 * missing.
 */
class ClusterQuorumsIT extends SharedCluster {

	private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

	private String test = "";

	@BeforeEach
	void nameKeys(TestInfo info) {
		this.test = info.getTestMethod().orElseThrow().getName();
	}

	@Test
	void aWriteThroughAnyNodeIsReadThroughAnyOther() throws Exception {
		for (String writer : this.cluster.names()) {
			requireStatus(201, client(writer, "2/3").put(key(writer), bytes(writer)));
			for (String reader : this.cluster.names()) {
				requireValue(writer, client(reader, "2/3").get(key(writer)));
			}
		}
	}

	@Test
	void replicasAddTheirSpansBelowThatOfTheCoordinator() throws Exception {
		try (RawRequest request = RawRequest.send(this.cluster.node("n1"), 1024, "DELETE",
				"/v0/entity?id=%s&replicas=3/3".formatted(key("traced")),
				"traceparent: 00-%s-b7ad6b7169203331-01".formatted(TRACE))) {
			assertThat(request.statusLine()).contains("202");
		}
		await().atMost(PATIENCE).until(() -> spans(SpanKind.SPAN_KIND_SERVER).size() == 3);
		Map<String, Span> byNode = spans(SpanKind.SPAN_KIND_SERVER).stream()
			.collect(Collectors.toMap((span) -> SpanReceiver.attribute(span, "quorate.node"), (span) -> span));
		Span coordinator = Objects.requireNonNull(byNode.remove(""));
		assertThat(coordinator.getName()).isEqualTo("DELETE /v0/entity");
		assertThat(byNode.keySet()).containsExactlyInAnyOrder("n0", "n2");
		assertThat(byNode.values()).allSatisfy((span) -> {
			assertThat(span.getName()).isEqualTo("replica apply");
			assertThat(span.getParentSpanId()).isEqualTo(coordinator.getSpanId());
			assertThat(SpanReceiver.attribute(span, "quorate.outcome")).isEqualTo("answered");
		});
	}

	/*
	 * Right after the start of a cluster, a write first reads the timestamps of replicas.
	 */
	private List<Span> spans(SpanKind kind) {
		return Objects.requireNonNull(this.spans)
			.spans(TRACE)
			.stream()
			.filter((span) -> span.getKind() == kind && !span.getName().equals("replica read"))
			.toList();
	}

	@Test
	void anOverwriteAndADeletionAreSeenThroughAnyNode() throws Exception {
		String key = key("changed");
		for (String writer : this.cluster.names()) {
			requireStatus(201, client(writer, "2/3").put(key, bytes("by " + writer)));
			for (String reader : this.cluster.names()) {
				requireValue("by " + writer, client(reader, "2/3").get(key));
			}
			requireStatus(202, client(writer, "2/3").delete(key));
			for (String reader : this.cluster.names()) {
				requireStatus(404, client(reader, "2/3").get(key));
			}
		}
	}

	@Test
	void twoOfThreeGoOnWithOneNodeKilled() throws Exception {
		requireStatus(201, client("n1", "2/3").put(key("before"), bytes("before")));
		this.cluster.kill9("n1");
		for (String node : List.of("n0", "n2")) {
			requireValue("before", client(node, "2/3").get(key("before")));
			requireStatus(201, client(node, "2/3").put(key(node), bytes(node)));
		}
		requireValue("n0", client("n2", "2/3").get(key("n0")));
		requireValue("n2", client("n0", "2/3").get(key("n2")));
		this.cluster.restart("n1");
		this.cluster.awaitConnected();
		for (String missed : List.of("n0", "n2")) {
			requireValue(missed, client("n1", "2/3").get(key(missed)));
		}
	}

	@Test
	void threeOfThreeNeedAllNodes() throws Exception {
		requireStatus(201, client("n0", "3/3").put(key("all"), bytes("all")));
		requireValue("all", client("n1", "1/3").get(key("all")));
		requireValue("all", client("n2", "3/3").get(key("all")));
		this.cluster.kill9("n2");
		NodeAnswer write = client("n0", "3/3").put(key("all"), bytes("more"));
		requireNotEnoughReplicas(write, 3, 2);
		assertThat(NodeClient.text(write)).contains("\"outcome\":\"unknown\"");
		requireNotEnoughReplicas(client("n1", "3/3").get(key("all")), 3, 2);
		requireValue("all", client("n1", "1/3").get(key("all")), "more");
	}

	@Test
	void withTwoOfThreeKilledOnlyOneOfThreeIsAnswered() throws Exception {
		requireStatus(201, client("n0", "3/3").put(key("old"), bytes("old")));
		this.cluster.kill9("n1");
		this.cluster.kill9("n2");
		NodeAnswer write = client("n0", "2/3").put(key("new"), bytes("new"));
		requireNotEnoughReplicas(write, 2, 1);
		assertThat(NodeClient.text(write)).contains("\"outcome\":\"unknown\"")
			.contains("\"node\":\"n0\"")
			.contains("\"node\":\"n1\"")
			.contains("\"node\":\"n2\"");
		NodeAnswer read = client("n0", "2/3").get(key("old"));
		requireNotEnoughReplicas(read, 2, 1);
		assertThat(NodeClient.text(read)).doesNotContain("outcome");
		requireNotEnoughReplicas(client("n0", "2/3").delete(key("old")), 2, 1);
		requireStatus(201, client("n0", "1/3").put(key("one"), bytes("one")));
		requireValue("one", client("n0", "1/3").get(key("one")));
		requireStatus(202, client("n0", "1/3").delete(key("one")));
		requireStatus(404, client("n0", "1/3").get(key("one")));
		assertThat(this.cluster.client("n0").status()).isEqualTo(200);
	}

	@Test
	void aTimeToLiveEndsOnEveryNode() throws Exception {
		Set<Instant> ends = new HashSet<>();
		// A machine that stood still for longer than that has read nothing: once more.
		for (int seconds = 5; ends.isEmpty(); seconds *= 2) {
			requireStatus(201, client("n0", "3/3&ttl=" + seconds).put(key("brief"), bytes("brief")));
			Instant written = Instant.now();
			for (String node : this.cluster.names()) {
				NodeAnswer read = client(node, "2/3").get(key("brief"));
				if (read.statusCode() == 404) {
					assertThat(Instant.now()).isAfterOrEqualTo(written.plusSeconds(seconds - 1));
					ends.clear();
					break;
				}
				requireValue("brief", read);
				ends.add(Objects.requireNonNull(read.expires()));
			}
		}
		assertThat(ends).hasSize(1);
		Instant end = ends.iterator().next().plusSeconds(1);
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> Instant.now().isAfter(end));
		for (String node : this.cluster.names()) {
			requireStatus(404, client(node, "1/3").get(key("brief")));
			requireStatus(404, client(node, "2/3").get(key("brief")));
		}
	}

	@Test
	void wrongQuorumsAreRefusedByEveryNode() throws Exception {
		for (String node : this.cluster.names()) {
			for (String wrong : List.of("0/3", "3/2", "2/4", "4/4", "two/3")) {
				String path = "/v0/entity?id=%s&replicas=%s".formatted(key("wrong"), wrong);
				assertThat(this.cluster.client(node).getPath(path).statusCode()).as(wrong).isEqualTo(400);
			}
		}
	}

	/*
	 * It is answered as soon as it is certain, whoever may still acknowledge: a node that
	 * is known to be down is waited for until the deadline by no request, which would say
	 * so.
	 */
	private void requireNotEnoughReplicas(NodeAnswer answer, int required, int mostAcknowledged) {
		requireStatus(504, answer);
		assertThat(NodeClient.text(answer)).contains("\"title\":\"Not Enough Replicas\"")
			.contains("\"required\":" + required)
			.containsPattern("\"acknowledged\":[0-%d],".formatted(mostAcknowledged))
			.containsPattern("\"said\":\"(disconnected|failed)\"")
			.doesNotContain("\"said\":\"timeout\"");
	}

	private static void requireValue(String expected, NodeAnswer answer, String... orElse) {
		requireStatus(200, answer);
		assertThat(NodeClient.text(answer)).satisfiesAnyOf((text) -> assertThat(text).isEqualTo(expected),
				(text) -> assertThat(text).isIn((Object[]) orElse));
	}

	private static void requireStatus(int expected, NodeAnswer answer) {
		assertThat(answer.statusCode()).as("%s", answer).isEqualTo(expected);
	}

	private NodeClient client(String node, String replicas) {
		return this.cluster.client(node).with("replicas=" + replicas).within(DEADLINE);
	}

	private String key(String name) {
		return this.test + "-" + name;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
