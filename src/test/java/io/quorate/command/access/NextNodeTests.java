package io.quorate.command.access;

import java.util.concurrent.atomic.AtomicReference;

import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.TwoNodes;
import io.quorate.command.terminal.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The choice of the node, and the writes that are never repeated. */
class NextNodeTests extends TwoNodes {

	private static final String TEXT = "text/plain";

	private static final String PROBLEM = "application/problem+json";

	@Test
	void aNodeWithoutConnectionIsPassedByReadsAndWrites() {
		this.second.acknowledges(200, "value").acknowledges(201, "");
		String gone = this.first.url();
		this.first.close();
		assertThat(run("get", "-e", gone, "-e", this.second.url(), "k").out()).isEqualTo("value");
		assertThat(run("put", "-e", gone + "," + this.second.url(), "k", "v").exitCode()).isZero();
		assertThat(this.second.requests).containsExactly("GET /v0/entity?id=k", "PUT /v0/entity?id=k");
	}

	@ParameterizedTest
	@ValueSource(ints = { 503, 507 })
	void aWriteThatANodeHasRefusedGoesToTheNext(int status) {
		this.first.refuses(status);
		this.second.acknowledges(201, "");
		assertThat(put().exitCode()).isZero();
		assertThat(this.second.requests).hasSize(1);
	}

	@Test
	void aWriteWithoutAnAnswerIsNotRepeated() {
		this.first.answers(ScriptedNode.SILENT, TEXT, "");
		CommandRun run = put();
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(run.err()).contains(this.first.url(), "may have happened or not; it was not repeated");
		assertThat(this.first.requests).hasSize(1);
		assertThat(this.second.requests).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 500, 502, 504, 505 })
	void aWriteOfUnknownOutcomeIsNotRepeated(int status) {
		this.first.refuses(status);
		CommandRun run = put();
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(run.err()).contains("may have happened or not; it was not repeated");
		assertThat(this.second.requests).isEmpty();
	}

	/* It may have sent the request on before. */
	@ParameterizedTest
	@ValueSource(ints = { 200, 201, 500, 501, 502, 503, 504, 507, 520 })
	void aPageOfAProxyIsNoProofThatAWriteHasHappenedOrNot(int status) {
		this.first.answers(status, "text/html", "<h1>page</h1>");
		CommandRun run = put();
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(run.err()).contains(status + " <h1>page</h1>. The write may have happened or not");
		assertThat(this.second.requests).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 302, 404, 429 })
	void aProxyThatRefusesAWriteHasNotSentItOn(int status) {
		this.first.answers(status, "text/html", "<h1>page</h1>");
		assertThat(put().exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(this.second.requests).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"type\":\"about:blank\",\"status\":503}",
			"{\"type\":\"urn:quorate:problem:unavailable\",\"status\":404}", "{\"type\":" })
	void aProblemDocumentOfAProxyIsNoRefusalOfANode(String document) {
		this.first.answers(503, PROBLEM, document);
		assertThat(put().exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(this.second.requests).isEmpty();
	}

	@Test
	void onlyANodeSaysWhetherThereIsAValue() {
		this.first.answers(404, "text/html", "<h1>no such page</h1>")
			.answers(404, PROBLEM, "{\"type\":\"about:blank\",\"status\":404}")
			.answers(200, "text/html", "<h1>page</h1>")
			.refuses(404);
		for (int i = 0; i < 3; i++) {
			CommandRun run = run("get", "-e", this.first.url(), "k");
			assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
			assertThat(run.out()).isEmpty();
		}
		assertThat(run("get", "-e", this.first.url(), "k").exitCode()).isEqualTo(ExitCode.ABSENT);
	}

	@Test
	void aKeyThatCannotBeDeletedAfterOthersIsAFailureInPart() {
		this.first.acknowledges(202, "").refuses(503).refuses(503);
		CommandRun run = run("del", "-e", this.first.url(), "a", "b");
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("b: " + this.first.url() + ": 503 Refused");
		assertThat(run("del", "-e", this.first.url(), "a", "b").exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
	}

	@ParameterizedTest
	@ValueSource(ints = { 502, 520 })
	void aReadGoesToTheNextNodeAfterAFailureOfAProxy(int status) {
		this.first.answers(status, "text/html", "<h1>unavailable</h1>");
		this.second.acknowledges(200, "value");
		CommandRun run = run("get", "-e", this.first.url(), "-e", this.second.url(), "k");
		assertThat(run).isEqualTo(new CommandRun(0, "value", ""));
	}

	@ParameterizedTest
	@ValueSource(ints = { ScriptedNode.SILENT, 500, 503, 504 })
	void aReadGoesToTheNextNodeAfterEachFailure(int status) {
		this.first.refuses(status);
		this.second.acknowledges(200, "value");
		CommandRun run = run("get", "-e", this.first.url(), "-e", this.second.url(), "k");
		assertThat(run).isEqualTo(new CommandRun(0, "value", ""));
	}

	@Test
	void allNodesThatRefuseAreNamed() {
		this.first.refuses(503);
		this.second.refuses(503);
		CommandRun run = put();
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
		assertThat(run.err()).contains(this.first.url() + ": 503 Refused: because of the script", this.second.url());
	}

	@ParameterizedTest
	@CsvSource({ "404,404 <h1>page</h1>", "401,401: the node asks for a token" })
	void eachFailureIsPrintedWithItsOwnNode(int status, String words) {
		this.first.answers(status, "text/html", "<h1>page</h1>");
		String gone = this.second.url();
		this.second.close();
		CommandRun run = run("get", "-e", this.first.url(), "-e", gone, "k");
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("quorate: " + this.first.url() + ": " + words,
				"quorate: " + gone + ": no connection");
	}

	@Test
	void eachNodeThatRefusesTheTokenIsSaidTo() {
		this.first.answers(401, "text/html", "<h1>page</h1>");
		this.second.answers(401, "text/html", "<h1>page</h1>");
		CommandRun run = run("get", "-e", this.first.url(), "-e", this.second.url(), "k");
		assertThat(run.err()).contains("quorate: " + this.first.url() + ": 401: the node asks for a token",
				"quorate: " + this.second.url() + ": 401: the node asks for a token");
	}

	@Test
	void anInterruptIsNoFailureOfANode() throws InterruptedException {
		this.first.refuses(503);
		this.second.standsStill("");
		AtomicReference<CommandRun> run = new AtomicReference<>();
		Thread command = Thread.ofVirtual().start(() -> run.set(put()));
		await().until(() -> this.second.requests.size() == 1);
		command.interrupt();
		command.join();
		assertThat(run.get().exitCode()).isEqualTo(ExitCode.UNKNOWN);
		assertThat(run.get().err()).contains("quorate: " + this.first.url() + ": 503 Refused",
				"quorate: interrupted. The write may have happened or not");
	}

	@ParameterizedTest
	@ValueSource(ints = { 413, 501 })
	void anAnswerThatIsFinalIsAskedOfOneNode(int status) {
		this.first.refuses(status);
		CommandRun run = put();
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).isEqualToIgnoringNewLines(
				"quorate: " + this.first.url() + ": " + status + " Refused: because of the script");
		assertThat(this.second.requests).isEmpty();
	}

	@Test
	void aRangeThatIsBrokenOffGoesOnAtTheNextNode() {
		this.first.breaksOff("""
				{"key":"a","value":"MQ=="}
				{"key":"b +","value":"Mg=="}
				{"key":"c","val""");
		this.second.answers(200, "application/x-ndjson", """
				{"key":"c","value":"Mw=="}
				{"last":true,"records":1}
				""");
		CommandRun run = run("scan", "-e", this.first.url(), "-e", this.second.url());
		assertThat(run).isEqualTo(new CommandRun(0, "a\t1\nb +\t2\nc\t3\n", ""));
		assertThat(this.second.requests).containsExactly("GET /v0/entities?start=b%20%2B%00&limit=10000");
	}

	@Test
	void aRangeThatStandsStillGoesOnAtTheNextNode() {
		this.first.standsStill("{\"key\":\"a\",\"value\":\"MQ==\"}\n");
		this.second.answers(200, "application/x-ndjson", """
				{"key":"b","value":"Mg=="}
				{"last":true,"records":1}
				""");
		CommandRun run = run("scan", "-e", this.first.url(), "-e", this.second.url(), "--timeout=100ms");
		assertThat(run).isEqualTo(new CommandRun(0, "a\t1\nb\t2\n", ""));
	}

	@Test
	void aValueThatStandsStillIsReadFromTheNextNode() {
		this.first.standsStill("val");
		this.second.acknowledges(200, "value");
		CommandRun run = run("get", "-e", this.first.url(), "-e", this.second.url(), "--timeout=100ms", "k");
		assertThat(run).isEqualTo(new CommandRun(0, "value", ""));
	}

	@Test
	void aRangeWithoutItsLastLineIsIncomplete() {
		String cut = "{\"key\":\"a\",\"value\":\"MQ==\"}\n";
		this.first.answers(200, "application/x-ndjson", cut)
			.answers(200, "application/x-ndjson", "")
			.answers(200, "application/x-ndjson", "");
		this.second.answers(200, "application/x-ndjson", "");
		CommandRun run = run("scan", "-e", this.first.url(), "-e", this.second.url());
		assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
		assertThat(run.err()).contains("broken off after 1 records: " + this.first.url() + ": the last line is missing",
				"quorate: " + this.second.url() + ": the last line is missing");
	}

	@ParameterizedTest
	@CsvSource({ "401,1,401: the node asks for a token", "403,1,403 Refused", "400,1,400 Refused",
			"429,5,429 Refused" })
	void aRangeThatIsRefusedAtALaterPageEndsAsARefusal(int status, int exitCode, String words) {
		this.first.answers(200, "application/x-ndjson", """
				{"key":"a","value":"MQ=="}
				{"last":true,"records":1,"next":"/v0/entities?cursor=c&limit=10000"}
				""").refuses(status);
		CommandRun run = run("scan", "-e", this.first.url(), "-e", this.second.url());
		assertThat(run.exitCode()).isEqualTo(exitCode);
		assertThat(run.err()).contains("broken off after 1 records: " + this.first.url() + ": " + words);
	}

	@Test
	void aRangeInDescendingOrderGoesOnAtTheNextNode() {
		this.first.breaksOff("{\"key\":\"pb\",\"size\":1}\n");
		this.second.answers(200, "application/x-ndjson", "{\"last\":true,\"records\":0}\n");
		CommandRun run = run("ls", "-e", this.first.url(), "-e", this.second.url(), "--reverse", "--limit=9", "p");
		assertThat(run).isEqualTo(new CommandRun(0, "pb\n", ""));
		assertThat(this.first.requests).containsExactly("GET /v0/entities?prefix=p&reverse=true&keys=true&limit=9");
		assertThat(this.second.requests)
			.containsExactly("GET /v0/entities?start=p&end=pb&reverse=true&keys=true&limit=8");
	}

	private CommandRun put() {
		return run("put", "-e", this.first.url(), "-e", this.second.url(), "k", "v");
	}

	private static CommandRun run(String... arguments) {
		return CommandRun.of(arguments);
	}

}
