package io.quorate.command.data;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.quorate.SharedNode;
import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.access.NodeAccess;
import io.quorate.command.data.ImportCommand.ImportOutcome;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Progress;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Exports and imports, from one node to another. */
class TransferTests {

	private static final int RECORDS = 2_000;

	private static final SharedNode SOURCE = SharedNode.OPEN;

	private static final SharedNode TARGET = SharedNode.POD;

	@TempDir
	private static Path data;

	private static Path records;

	@TempDir
	Path home;

	@BeforeAll
	static void start() throws IOException {
		SOURCE.empty();
		List<String> lines = new ArrayList<>();
		for (int i = 0; i < RECORDS; i++) {
			lines.add("{\"key\":\"key-%04d\",\"text\":\"value %d\"%s}".formatted(i, i,
					(i % 3 == 0) ? ",\"contentType\":\"text/plain\"" : ""));
		}
		lines.add("{\"key\":\"John Smith + Söhne\",\"value\":\"AP8=\",\"expires\":\"2030-01-01T00:00:00Z\"}");
		lines.add("{\"key\":\"expired\",\"text\":\"gone\",\"expires\":\"2020-01-01T00:00:00Z\"}");
		lines.add("{\"last\":true,\"records\":1}");
		records = Files.write(data.resolve("records.jsonl"), lines);
		CommandRun run = CommandRun.of("import", records.toString(), "-e", SOURCE.url(), "--batch=37");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.err()).contains("imported 2,001 records", "failed: 0");
	}

	@BeforeEach
	void empty() {
		TARGET.empty();
	}

	@Test
	void anImportOfAnExportIsTheSame() throws IOException {
		Path first = this.home.resolve("first.jsonl");
		CommandRun run = CommandRun.of("export", "--file", first.toString(), "-e", SOURCE.url());
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(run.err()).contains("exported 2,001 records", "failed: 0");
		try (Stream<Path> files = Files.list(this.home)) {
			assertThat(files).containsExactly(first);
		}
		assertThat(CommandRun.of("import", first.toString(), "-e", TARGET.url()).exitCode()).isZero();
		CommandRun second = CommandRun.of("export", "-e", TARGET.url());
		assertThat(second.out().lines().map(TransferTests::content))
			.containsExactlyElementsOf(Files.readAllLines(first).stream().map(TransferTests::content).toList());
		assertThat(CommandRun.of("export", "--file", first.toString(), "-e", SOURCE.url()).err())
			.contains("is there already");
	}

	@Test
	void anExportThatWasInterruptedGoesOn() throws IOException {
		Path whole = this.home.resolve("whole.jsonl");
		Path resumed = this.home.resolve("resumed.jsonl");
		export(whole, "key-");
		ExportFolder folder = new ExportFolder(resumed);
		folder.begin("prefix key-", List.of("key-0500", "key-1500"));
		List<String> lines = Files.readAllLines(whole);
		Files.writeString(folder.part(0), String.join("\n", lines.subList(0, 100)) + "\n{\"key\":\"key-01");
		Files.write(folder.part(1), lines.subList(500, 1_500));
		folder.finish(1);
		assertThat(CommandRun.of("export", "key-", "--file", resumed.toString(), "-e", SOURCE.url()).err())
			.contains("was interrupted: --resume goes on with it");
		assertThat(CommandRun.of("export", "--resume", "--file", resumed.toString(), "-e", SOURCE.url()).err())
			.contains("of another range");
		CommandRun run = export(resumed, "key-", "--resume");
		assertThat(run.err()).contains("exported 900 records");
		assertThat(resumed).hasSameTextualContentAs(whole);
		assertThat(folder.exists()).isFalse();
	}

	@Test
	void anExportOfNothingIsEmpty() {
		Path file = this.home.resolve("none.jsonl");
		export(file, "none");
		assertThat(file).isEmptyFile();
	}

	@Test
	void anImportThatWasInterruptedGoesOn() throws IOException {
		Path file = this.home.resolve("lines.jsonl");
		Files.writeString(file,
				"{\"key\":\"a\",\"text\":\"1\"}\n{\"key\":\"b\",\"text\":\"2\"}\n{\"key\":\"c\",\"text\":\"3\"}\n");
		Path checkpoint = this.home.resolve("lines.jsonl.importing");
		Files.writeString(checkpoint, "{\"offset\":46,\"lines\":2}");
		assertThat(CommandRun.of("import", file.toString(), "-e", TARGET.url()).err())
			.contains("was interrupted: --resume goes on with it");
		CommandRun run = CommandRun.of("import", file.toString(), "--resume", "-e", TARGET.url());
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(CommandRun.of("ls", "-e", TARGET.url()).out()).isEqualTo("c\n");
		assertThat(checkpoint).doesNotExist();
	}

	@Test
	void standardInputIsImported() {
		CommandRun run = CommandRun.of(Map.of("QUORATE_ENDPOINTS", TARGET.url()), "{\"key\":\"a\",\"text\":\"1\"}",
				"import");
		assertThat(run.exitCode()).as(run.err()).isZero();
		assertThat(CommandRun.of("get", "a", "-e", TARGET.url()).out()).isEqualTo("1");
	}

	@Test
	void onlyRecordsThatWereRefusedForNowAreSentAgain() throws IOException {
		Path file = Files.writeString(this.home.resolve("three.jsonl"),
				"{\"key\":\"a\",\"text\":\"1\"}\n{\"key\":\"b\",\"text\":\"2\"}\n{\"key\":\"c\",\"text\":\"3\"}\n");
		try (ScriptedNode node = new ScriptedNode()) {
			node.answers(200, "application/x-ndjson", """
					{"status":503,"problem":{"detail":"busy"}}
					{"status":504,"problem":{"detail":"too few"}}
					{"status":400,"problem":{"detail":"wrong"}}
					""").answers(200, "application/x-ndjson", "{\"status\":201}\n");
			CommandRun run = CommandRun.of("import", file.toString(), "-e", node.url());
			assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
			assertThat(run.err()).contains("imported 1 records", "failed: 2",
					"1 records were refused, and 1 may have been written or not");
			assertThat(node.bodies).hasSize(2);
			assertThat(node.bodies.get(1)).isEqualTo("{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}\n");
		}
		assertThat(this.home.resolve("three.jsonl.failed")).content().isEqualTo("""
				{"key":"b","text":"2","failed":"504 too few"}
				{"key":"c","text":"3","failed":"400 wrong"}
				""");
	}

	@Test
	void aBatchWithoutAnAnswerIsSentAgainOnlyIfTheUserSaysSo() throws IOException {
		Path file = Files.writeString(this.home.resolve("one.jsonl"), "{\"key\":\"a\",\"text\":\"1\"}\n");
		try (ScriptedNode node = new ScriptedNode()) {
			node.answers(ScriptedNode.SILENT, "text/plain", "");
			assertThat(CommandRun.of("import", file.toString(), "-e", node.url()).exitCode())
				.isEqualTo(ExitCode.UNKNOWN);
			assertThat(node.requests).hasSize(1);
			assertThat(CommandRun.of("import", file.toString(), "-e", node.url()).err())
				.contains("one.jsonl.failed of an earlier import is there");
			Files.delete(this.home.resolve("one.jsonl.failed"));
			node.answers(ScriptedNode.SILENT, "text/plain", "")
				.answers(200, "application/x-ndjson", "{\"status\":201}\n");
			assertThat(CommandRun.of("import", file.toString(), "--repeat-unknown", "-e", node.url()).exitCode())
				.isZero();
			assertThat(node.requests).hasSize(3);
		}
	}

	@Test
	void anImportThatFailsAfterAnUnknownOutcomeEndsAsUnknown() throws IOException {
		Path file = Files.writeString(this.home.resolve("two.jsonl"),
				"{\"key\":\"a\",\"text\":\"1\"}\n{\"key\":\"b\",\"text\":\"2\"}\n");
		try (ScriptedNode node = new ScriptedNode()) {
			node.answers(200, "application/x-ndjson", "{\"status\":504}\n").refuses(403);
			CommandRun run = CommandRun.of("import", file.toString(), "--batch=1", "--parallel=1", "-e", node.url());
			assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
			assertThat(run.err()).contains("and 1 may have been written or not", "403 Refused", "--resume");
		}
	}

	@Test
	void aStatusThatNoPutHasIsNoAcknowledgement() throws IOException {
		Path file = Files.writeString(this.home.resolve("odd.jsonl"),
				"{\"key\":\"a\",\"text\":\"1\"}\n{\"key\":\"b\",\"text\":\"2\"}\n");
		try (ScriptedNode node = new ScriptedNode()) {
			node.answers(200, "application/x-ndjson", "{\"status\":200}\n{\"status\":302}\n");
			CommandRun run = CommandRun.of("import", file.toString(), "-e", node.url());
			assertThat(run.exitCode()).isEqualTo(ExitCode.UNKNOWN);
			assertThat(run.err()).contains("0 records were refused, and 2 may have been written or not");
		}
	}

	@Test
	void aRecordThatWasRepeatedAndNeverAcknowledgedIsOfUnknownOutcome() throws IOException {
		Path failed = this.home.resolve("failed");
		ImportItem lost = item("lost");
		ImportItem refused = item("refused");
		try (ScriptedNode node = new ScriptedNode();
				ImportOutcome outcome = new ImportOutcome(failed);
				Cluster cluster = new Cluster(List.of(URI.create(node.url())), NodeAccess.of(null, null), null);
				Progress progress = Progress.start(CommandRun.terminal(), "imported", () -> 0)) {
			Importer importer = new Importer(cluster, new ConsistencyOptions(), true, progress, outcome);
			node.answers(200, "application/x-ndjson", "{\"status\":504}\n{\"status\":503}\n");
			for (int i = 1; i < Importer.TRIES; i++) {
				node.refuses(503);
			}
			assertThatExceptionOfType(CommandException.class)
				.isThrownBy(() -> importer.write(List.of(lost, refused), (_) -> {
				}))
				.matches((failure) -> failure.exitCode() == ExitCode.UNAVAILABLE);
			assertThat(node.requests).hasSize(Importer.TRIES);
			assertThat(Files.readString(failed)).contains("\"key\":\"lost\"").doesNotContain("\"key\":\"refused\"");
		}
	}

	@Test
	void aValueThatExpiresBeforeItIsWrittenIsLeftOut() throws IOException {
		Path failed = this.home.resolve("failed");
		ImportItem expired = item("expired", ",\"expires\":\"2020-01-01T00:00:00Z\"");
		try (ScriptedNode node = new ScriptedNode();
				ImportOutcome outcome = new ImportOutcome(failed);
				Cluster cluster = new Cluster(List.of(URI.create(node.url())), NodeAccess.of(null, null), null);
				Progress progress = Progress.start(CommandRun.terminal(), "imported", () -> 0)) {
			node.answers(200, "application/x-ndjson", "{\"status\":400}\n{\"status\":400}\n");
			new Importer(cluster, new ConsistencyOptions(), false, progress, outcome)
				.write(List.of(expired, item("refused", "")));
		}
		assertThat(Files.readString(failed)).contains("\"key\":\"refused\"").doesNotContain("\"key\":\"expired\"");
	}

	private static ImportItem item(String key) {
		return item(key, "");
	}

	private static ImportItem item(String key, String more) {
		return Objects.requireNonNull(ImportItem
			.parse("{\"key\":\"%s\",\"text\":\"1\"%s}".formatted(key, more).getBytes(StandardCharsets.UTF_8), 0));
	}

	private static CommandRun export(Path file, String... arguments) {
		List<String> line = new ArrayList<>(List.of("export", "--file", file.toString(), "-e", SOURCE.url()));
		line.addAll(List.of(arguments));
		CommandRun run = CommandRun.of(line.toArray(String[]::new));
		assertThat(run.exitCode()).as(run.err()).isZero();
		return run;
	}

	/* Timestamps differ. */
	private static String content(String line) {
		ObjectNode node = (ObjectNode) JsonMapper.shared().readTree(line);
		node.remove("etag");
		return node.toString().replaceFirst("(\"expires\":\"20[23]\\d)[^\"]*", "$1");
	}

}
