package io.quorate.command.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

import io.quorate.SharedNode;
import io.quorate.command.CommandRun;
import io.quorate.command.ScriptedNode;
import io.quorate.command.terminal.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Records of an import, and lines that are none. */
class ImportTests {

	private static final SharedNode NODE = SharedNode.OPEN;

	private static final Map<String, String> ENVIRONMENT = Map.of("QUORATE_ENDPOINTS", NODE.url());

	private static final String RECORD = "{\"key\":\"a\",\"text\":\"1\"}\n";

	@TempDir
	Path home;

	@BeforeEach
	void empty() {
		NODE.empty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = { "no json | it is no JSON", "[] | it is no JSON object",
			"{\"text\":\"1\"} | it has no 'key'", "{\"key\":\"b\"} | it has neither or both of 'value' and 'text'",
			"{\"key\":\"b\",\"text\":\"1\",\"value\":\"\"} | neither or both",
			"{\"key\":\"b\",\"text\":\"1\",\"expires\":\"soon\"} | its 'expires' is no time such as 2030-01-01T00:00:00Z",
			"{\"key\":\"b\",\"text\":\"1\",\"expires\":1} | its 'expires' is no time",
			"{\"key\":\"b\",\"text\":\"1\",\"key\":\"c\"} | its member 'key' stands twice",
			"{\"key\":\"b\",\"text\":\"1\",\"text\":\"1\"} | its member 'text' stands twice",
			"{\"key\":\"b\\ud83d\",\"text\":\"1\"} | half of a character",
			"{\"key\":\"b\",\"text\":\"\\udc00\"} | half of a character",
			"{\"key\":\"b\",\"text\":\"1\",\"contentType\":\"\\ud83d\"} | half of a character",
			"{\"key\":\"b\",\"text\":\"1\"} {\"key\":\"c\",\"text\":\"1\"} | it is no JSON" })
	void aLineThatIsNoRecordIsKeptAndTheRestIsWritten(String line, String reason) throws IOException {
		Path file = Files.writeString(this.home.resolve("wrong.jsonl"),
				RECORD + line + "\n{\"key\":\"z\",\"text\":\"2\"}");
		CommandRun run = run("", "import", file.toString(), "--batch=1");
		assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err())
			.contains("line 2 is no record: ", reason, "imported 2 records", "failed: 1", "1 records were refused",
					"wrong.jsonl.failed")
			.doesNotContain("--resume", "Exception");
		assertThat(run("", "ls").out()).isEqualTo("a\nz\n");
		assertThat(this.home.resolve("wrong.jsonl.failed")).hasContent(line + "\n");
		assertThat(this.home.resolve("wrong.jsonl.importing")).doesNotExist();
	}

	@Test
	void aLineThatIsNoTextIsKeptAsItIs() throws IOException {
		byte[] line = "{\"key\":\"b\u00fc\",\"text\":\"1\"}\n".getBytes(StandardCharsets.ISO_8859_1);
		Path file = Files.write(this.home.resolve("latin.jsonl"), line);
		CommandRun run = run("", "import", file.toString());
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("line 1 is no record: it is not UTF-8");
		assertThat(this.home.resolve("latin.jsonl.failed")).hasBinaryContent(line);
		assertThat(run("", "ls").out()).isEmpty();
	}

	@Test
	void theFirstOfManyWrongLinesAreNamed() throws IOException {
		Path file = Files.writeString(this.home.resolve("all.csv"), "a;1\n".repeat(1_000));
		CommandRun run = run("", "import", file.toString());
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("line 10 is no record", "990 more lines are no records", "1,000 records")
			.doesNotContain("line 11 ");
		assertThat(this.home.resolve("all.csv.failed")).hasSameTextualContentAs(file);
	}

	@Test
	void theNodeHearsWhenAValueExpires() {
		String line = "{\"key\":\"a\",\"text\":\"1\",\"etag\":\"x\",\"expires\":\"1970-01-01T00:00:00.250Z\"}";
		ImportItem item = ImportItem.parse(line.getBytes(StandardCharsets.UTF_8), 249);
		assertThat(item).isNotNull();
		assertThat(item.request())
			.isEqualTo("{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\",\"expires\":\"1970-01-01T00:00:00.250Z\"}");
		assertThat(ImportItem.parse(line.getBytes(StandardCharsets.UTF_8), 250)).isNull();
	}

	@Test
	void aTimeThatNoValueCanHaveIsRefusedByTheNode() throws IOException {
		Path file = Files.writeString(this.home.resolve("far.jsonl"),
				"{\"key\":\"b\",\"text\":\"1\",\"expires\":\"+1000000000-12-31T23:59:59Z\"}\n" + RECORD);
		CommandRun run = run("", "import", file.toString());
		assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
		assertThat(run.err()).contains("imported 1 records", "failed: 1");
		assertThat(this.home.resolve("far.jsonl.failed")).content().contains("\"failed\":\"400 ");
	}

	@Test
	void aMarkBeforeTheFirstRecordIsNoPartOfIt() throws IOException {
		Path file = Files.writeString(this.home.resolve("mark.jsonl"), "\uFEFF" + RECORD);
		assertThat(run("", "import", file.toString()).exitCode()).isZero();
		assertThat(run("\uFEFF" + RECORD, "import").exitCode()).isZero();
		assertThat(run("", "ls").out()).isEqualTo("a\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTF-16", "UTF-16LE", "UTF-16BE", "array", "gzip" })
	void aFileOfAnotherKindIsRefusedAsAWhole(String kind) throws IOException {
		byte[] content = switch (kind) {
			case "array" -> "\uFEFF \n[{\"key\":\"a\",\"value\":\"MQ==\"}]".getBytes(StandardCharsets.UTF_8);
			case "gzip" -> compressed(RECORD);
			default -> RECORD.getBytes(Charset.forName(kind));
		};
		Path file = Files.write(this.home.resolve("other"), content);
		CommandRun run = run("", "import", file.toString());
		assertThat(run.exitCode()).isEqualTo(ExitCode.MISUSED);
		assertThat(run.err()).contains("an import reads JSON lines, and this is ", switch (kind) {
			case "array" -> "jq -c '.[]' FILE";
			case "gzip" -> "zcat FILE";
			default -> "iconv -f UTF-16 -t UTF-8";
		}).doesNotContain("--resume");
		try (var files = Files.list(this.home)) {
			assertThat(files).containsExactly(file);
		}
	}

	private static byte[] compressed(String text) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream stream = new GZIPOutputStream(bytes)) {
			stream.write(text.getBytes(StandardCharsets.UTF_8));
		}
		return bytes.toByteArray();
	}

	@Test
	void aDashIsStandardInputAndOutput() {
		assertThat(run(RECORD, "import", "-").exitCode()).isZero();
		assertThat(run("", "export", "--file", "-").out()).startsWith("{\"key\":\"a\"");
		assertThat(run("from input", "put", "b", "--file", "-").exitCode()).isZero();
		assertThat(run("", "get", "b").out()).isEqualTo("from input");
		assertThat(run("", "import", "-", "--resume").err()).contains("--resume needs FILE");
		assertThat(run("", "export", "-f", "-", "--resume").err()).contains("--resume needs --file");
	}

	@Test
	void aLastingFailureIsToBeMendedBeforeTheImportGoesOn() throws IOException {
		Path file = Files.writeString(this.home.resolve("one.jsonl"), RECORD);
		try (ScriptedNode node = new ScriptedNode()) {
			node.refuses(403);
			assertThat(CommandRun.of("import", file.toString(), "-e", node.url()).err())
				.contains("when that is mended, repeat the command with --resume");
		}
		Files.delete(this.home.resolve("one.jsonl.importing"));
		CommandRun nobody = CommandRun.of("import", file.toString(), "-e", "http://127.0.0.1:1");
		assertThat(nobody.err()).contains("quorate: repeat the command with --resume");
	}

	private static CommandRun run(String input, String... arguments) {
		return CommandRun.of(ENVIRONMENT, input, arguments);
	}

}
