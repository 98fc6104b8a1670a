package io.quorate.client;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.quorate.client.HostileServer.Script;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests of operators, and answers as they come. */
class OperatorTests extends HostileTests {

	private static final Request PATH = Request.read("/actuator/cluster");

	private static final Script LAYOUT = Scripts.answer(200, "{\"version\":1}");

	private OperatorClient operator(Object... nodes) {
		return opened(OperatorClient.of(builder(nodes).options((options) -> options.attempts(nodes.length))));
	}

	private static Answer send(OperatorClient client, Request request) {
		return client.send(request, (answer) -> answer.status() == 200, UnaryOperator.identity());
	}

	@Test
	void anyRequestHasItsAnswerAsItIs() {
		HostileServer node = node(Scripts.answer(200, "{\"a\":1}", "X-Other: b"));
		Request request = Request.write("POST", "/actuator/cluster/add")
			.parameter("a", "b c")
			.parameter("d", 1)
			.parameter("none", null)
			.field("Content-Type", "application/json")
			.field("X-None", null)
			.body("{}".getBytes(StandardCharsets.UTF_8));
		Answer answer = send(operator(node), request);
		assertThat(answer.node()).isEqualTo(node.url());
		assertThat(answer.body()).asString().isEqualTo("{\"a\":1}");
		assertThat(answer.field("x-other")).isEqualTo("b");
		assertThat(answer.field("x-none")).isNull();
		HostileServer.Received received = node.received().get(0);
		assertThat(received.method()).isEqualTo("POST");
		assertThat(received.target()).isEqualTo("/actuator/cluster/add?a=b%20c&d=1");
		assertThat(received.body()).isEqualTo("{}");
	}

	@Test
	void whatIsNoProblemDocumentIsQuoted() {
		OperatorClient client = operator(node(Scripts.answer(404, "{\"result\":\"there is no layout\"}"),
				Scripts.answer(409, "\n<p>\nb"), Scripts.answer(400, ""), Scripts.problem(403, "forbidden")));
		assertThat(caught(InvalidAnswerException.class, () -> send(client, PATH)))
			.hasMessageEndingWith(": 404 there is no layout");
		assertThat(caught(InvalidAnswerException.class, () -> send(client, PATH))).hasMessageEndingWith(": 409 <p>");
		assertThat(caught(InvalidAnswerException.class, () -> send(client, PATH))).hasMessageEndingWith(": 400");
		assertThat(caught(ForbiddenException.class, () -> send(client, PATH))).hasMessageEndingWith(": 403 T: D");
	}

	@Test
	void aChangeIsRepeatedOnlyIfItIsHarmless() {
		Request change = Request.write("POST", "/actuator/cluster/add");
		HostileServer other = node(LAYOUT);
		assertThat(caught(OutcomeUnknownException.class, () -> send(operator(node(Scripts.BAD_GATEWAY), other), change))
			.failures()).hasSize(1);
		assertThat(other.received()).isEmpty();
		assertThat(send(operator(node(Scripts.BAD_GATEWAY), other), change.harmless()).node()).isEqualTo(other.url());
	}

	@Test
	void theCallerChoosesTheNode() {
		HostileServer first = node(LAYOUT);
		HostileServer second = node(LAYOUT);
		OperatorClient client = operator(first, second);
		assertThat(send(client, PATH).node()).isEqualTo(first.url());
		client.preferNext();
		assertThat(send(client, PATH).node()).isEqualTo(second.url());
		assertThat(send(client.at(URI.create(first.url())), PATH).node()).isEqualTo(first.url());
		client.preferNext();
		assertThat(send(client, PATH).node()).isEqualTo(first.url());
	}

	@Test
	void keysBehindAPrefixAreInTheOrderOfBytes() {
		assertThat(OperatorClient.behindAllWith("a")).isEqualTo("b");
		assertThat(OperatorClient.behindAllWith("a\uD7FF")).isEqualTo("a\uE000");
		assertThat(OperatorClient.behindAllWith("a" + Character.toString(Character.MAX_CODE_POINT))).isEqualTo("b");
		assertThat(OperatorClient.behindAllWith(Character.toString(Character.MAX_CODE_POINT))).isNull();
		String longest = "\u007F".repeat(1_024);
		assertThat(OperatorClient.behindAllWith(longest)).isEqualTo(longest + "\0");
	}

	@Test
	void recordsComeAsTheNodeHasSentThem() {
		String record = "{\"key\":\"a\", \"later\":[1]}";
		HostileServer node = node(Scripts.sends(Scripts.lines(record, RangeStore.last(1))));
		List<RangeLine> lines = new ArrayList<>();
		try (RangeIterator<RangeLine> range = operator(node).range(RangeQuery.all(), false, UnaryOperator.identity())) {
			range.forEachRemaining(lines::add);
		}
		assertThat(lines).hasSize(1);
		assertThat(lines.get(0).key()).isEqualTo("a");
		assertThat(lines.get(0).json()).asString().isEqualTo(record);
		assertThat(node.received().get(0).target()).contains("keys=true");
	}

}
