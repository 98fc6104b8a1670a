package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import io.quorate.clock.Deadline;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.command.CommandRun;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Partitions;
import io.quorate.entry.Value;
import io.quorate.membership.agreement.RecordedLayouts;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ShareChange;
import io.quorate.storage.StorageProperties.Sync;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.floor.SharesFile;
import io.quorate.storage.inspect.Inspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The command says what is there, finds what is damaged, and changes nothing. */
class InspectTests extends DamagedDirectoryFixture {

	private Map<Path, String> before = Map.of();

	private String out = "";

	private String err = "";

	@BeforeAll
	static void giveIdentity() throws IOException {
		StoreDirectory
			.open(whole.path().resolveSibling("new"), StoreOwner.alone("n0", "quorate"), TimeSource.SYSTEM,
					FutureStamps.KEPT)
			.close();
		for (String name : List.of("NODE", "CLOCK")) {
			Files.copy(whole.path().resolveSibling("new").resolve(name), whole.path().resolve(name));
		}
	}

	@AfterEach
	void nothingIsChanged() throws IOException {
		assertThat(contents()).isEqualTo(this.before);
	}

	@Test
	void everythingIsListed() throws IOException {
		assertThat(inspect("--verify")).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("No damage was found.").contains("files\n", "manifest\n", "tables\n", "values\n");
		assertThat(this.err).matches("verified \\S+ kB in \\S+ s, \\S+ .?B/s; failed: 0\\R");
		assertThat(this.out.lines()).anyMatch((line) -> line.matches("  NODE +node +n0"))
			.anyMatch((line) -> line.matches("  CLOCK +ceiling +\\d{4}-.*Z"))
			.anyMatch((line) -> line.matches(
					"  +1  live +0 +1 +150 +0 +0 +\\d+  1970-01-01T00:00:00.001Z .* table-0000  table-0149  verified"))
			.anyMatch((line) -> line.matches("  +1 +1 +\\d+ +200000  0 % +verified"))
			.anyMatch((line) -> line.matches("  +3 +1  live +\\d+ +\\d+ +\\d+ +\\d+ +40 +0 +306 +345  clean"))
			.anyMatch((line) -> line.endsWith("tables added 1; log from 2; sequence 150"));
	}

	@Test
	void programsGetJson() throws IOException {
		assertThat(inspect("--json")).isEqualTo(Inspect.SOUND);
		assertThat(this.err).isEmpty();
		JsonNode all = JsonMapper.shared().readTree(this.out);
		assertThat(all.get("tables")).hasSize(2);
		assertThat(all.get("tables").get(0).get("entries").asInt()).isEqualTo(150);
		assertThat(all.get("tables").get(0).get("check").asString()).isEqualTo("opens");
		assertThat(all.get("damages")).isEmpty();
		assertThat(all.get("notes").toString()).contains("--verify compares all");
	}

	@Test
	void everyDamageIsFoundWhereverItIs() throws IOException {
		List<Path> files = new ArrayList<>(this.data.files("tables", ".sst"));
		files.addAll(this.data.files("values", ".vlog"));
		files.add(this.data.path().resolve("MANIFEST"));
		files.add(this.data.path().resolve("NODE"));
		for (Path file : files) {
			long at = Math.min(100_000, Files.size(file) / 3);
			DamagedDirectory.flip(file, at);
			assertThat(inspect("--verify")).as("%s at %d", file, at).isEqualTo(Inspect.DAMAGED);
			assertThat(this.out).contains("DAMAGE: ").contains(file.getFileName().toString());
			nothingIsChanged();
			DamagedDirectory.flip(file, at);
		}
		assertThat(inspect("--verify")).isEqualTo(Inspect.SOUND);
	}

	@Test
	void damageOfTheLogIsFoundWhereItWasForced() throws IOException {
		Path log = this.data.files("wal", ".log")
			.stream()
			.filter((file) -> file.endsWith("000003.log"))
			.findFirst()
			.orElseThrow();
		DamagedDirectory.flip(log, DamagedDirectory.offsetOf(DamagedDirectory.key("log", 20), log));
		assertThat(inspect()).isEqualTo(Inspect.DAMAGED);
		assertThat(this.out).contains("fsynced records are damaged").contains("1 places are damaged.");
	}

	@Test
	void floorsAreShownAndWhatIsBelow() throws IOException {
		Key key = Key.of("table-0100");
		SharesFile.write(this.data.path(),
				Floors.NONE.after(new ShareChange(9, Set.of(Partitions.of(key)), Set.of()), 150, 3));
		assertThat(inspect()).isEqualTo(Inspect.SOUND);
		assertThat(this.out.lines()).anyMatch((line) -> line.matches("  SHARES +layout +9"))
			.anyMatch((line) -> line.matches("  SHARES +partitions +1 gained, 0 lost"))
			.anyMatch((line) -> line.matches("  SHARES +highest-floor +150"));
		assertThat(inspect("--key", key.toString())).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("tables/000001.sst  below the floor ");
		DamagedDirectory.flip(this.data.path().resolve("SHARES"), 100);
		assertThat(inspect()).isEqualTo(Inspect.DAMAGED);
		assertThat(this.out).contains("SHARES is damaged: its checksum is wrong");
	}

	@Test
	void layoutsAreShownAndTheMembersOfTheLast() throws IOException {
		assertThat(inspect()).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("layout: none", "members: none");
		RecordedLayouts.write(this.data.path(), "n0", RecordedLayouts.JOINT);
		assertThat(inspect()).isEqualTo(Inspect.SOUND);
		assertThat(this.out.lines()).anyMatch((line) -> line.matches("  +2  [0-9a-f]{16}  stable  +3  +0"))
			.anyMatch((line) -> line.matches("  +3  [0-9a-f]{16}  joint  +3  add n3 since version 3 +3"))
			.anyMatch((line) -> line.matches("  n0  +host0:7100  stays  00000000-0000-0001-\\S+"))
			.anyMatch((line) -> line.matches("  n3  +host3:7100  joins  \\S+"));
		assertThat(inspect("--json")).isEqualTo(Inspect.SOUND);
		JsonNode all = JsonMapper.shared().readTree(this.out);
		assertThat(all.get("layout").get(1).get("version").asLong()).isEqualTo(3);
		assertThat(all.get("layout").get(1).get("replicationFactor").asInt()).isEqualTo(3);
		assertThat(all.get("members").get(3).get("part").asString()).isEqualTo("joins");
		DamagedDirectory.flip(this.data.path().resolve("LAYOUT"), 50);
		assertThat(inspect()).isEqualTo(Inspect.DAMAGED);
		assertThat(this.out).contains("LAYOUT is damaged at offset 0");
	}

	@Test
	void aMissingTableIsDamage() throws IOException {
		Files.delete(this.data.files("tables", ".sst").getFirst());
		assertThat(inspect()).isEqualTo(Inspect.DAMAGED);
		assertThat(this.out).contains("DAMAGE: tables/000001.sst is missing");
	}

	@Test
	void theHistoryOfAKeyIsFoundWhereverItIs() throws IOException {
		assertThat(inspect("--key", "log-0007")).isEqualTo(Inspect.SOUND);
		assertThat(this.out.lines()).anyMatch((line) -> line.matches(
				"  wal/000003.log  log +313  1970-01-01T00:00:00.008Z +0  00000000 +0000000000080000-00000000  unknown +value +1  never +1000  none +in place"));
		assertThat(inspect("--key", "table-0100")).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("tables/000001.sst  live ");
		assertThat(inspect("--key", "large-0002")).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("values/000001.vlog at ", ", intact");
		assertThat(inspect("--key", "nobody")).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("entries: none");
	}

	@Test
	void theContentTypeOfAKeyIsNamed() throws IOException {
		try (LsmStore store = StoreOpening.open(TestStores.properties(this.data.path(), Sync.ALWAYS),
				PurgePolicy.nothing())) {
			TestStores.await(store.apply(Key.of("typed"), new Entry.Live(Timestamp.ofMillis(9), 1, Entry.NEVER,
					Value.EMPTY, ContentType.of("text/plain; a=b")), Runnable::run));
		}
		assertThat(inspect("--key", "typed")).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("  text/plain; a=b  in place");
	}

	@Test
	void theLineageOfAKeyIsNamed() throws IOException {
		try (LsmStore store = StoreOpening.open(TestStores.properties(this.data.path(), Sync.ALWAYS),
				PurgePolicy.nothing())) {
			TestStores.await(store.apply(Key.of("descended"), new Entry.Tombstone(Timestamp.ofMillis(9), 1,
					new Lineage(new Timestamp(5, 6), new Timestamp(3, 4))), Runnable::run));
		}
		assertThat(inspect("--key", "descended")).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("  0000000000000005-00000006  0000000000000003-00000004  tombstone ");
	}

	@Test
	void aPromiseOfAKeyIsShown() throws IOException {
		try (LsmStore store = StoreOpening.open(TestStores.properties(this.data.path(), Sync.ALWAYS),
				PurgePolicy.nothing())) {
			TestStores.await(store.promise(Key.of("promised"), Timestamp.ofMillis(9), Deadline.none(), Runnable::run));
		}
		assertThat(inspect("--key", "promised")).isEqualTo(Inspect.SOUND);
		assertThat(this.out).contains("  promise  ");
	}

	@Test
	void aKeyOnADamagedPageIsDamage() throws IOException {
		Path table = this.data.files("tables", ".sst").getFirst();
		Key key = DamagedDirectory.key("table", 100);
		DamagedDirectory.flip(table, DamagedDirectory.offsetOf(key, table));
		assertThat(inspect("--key", key.toString())).isEqualTo(Inspect.DAMAGED);
		assertThat(this.out).contains("DAMAGE: ").contains("000001.sst is damaged at offset ");
	}

	@Test
	void wrongArgumentsAreExplained() throws IOException {
		assertThat(inspect("--nonsense")).isEqualTo(Inspect.TROUBLE);
		assertThat(this.err).contains("'--nonsense'", "'quorate inspect --help' has the usage");
		assertThat(inspect("--key")).isEqualTo(Inspect.TROUBLE);
		assertThat(run(List.of(this.home.resolve("nowhere").toString()))).isEqualTo(Inspect.TROUBLE);
		assertThat(this.err).contains("is no directory");
		assertThat(run(List.of(this.home.toString()))).isEqualTo(Inspect.TROUBLE);
		assertThat(this.err).contains("is not the directory of a node's data");
		assertThat(run(List.of())).isEqualTo(Inspect.TROUBLE);
		assertThat(run(List.of("--help"))).isEqualTo(Inspect.SOUND);
	}

	private int inspect(String... options) throws IOException {
		this.before = contents();
		List<String> arguments = new ArrayList<>(List.of(this.data.path().toString()));
		arguments.addAll(List.of(options));
		return run(arguments);
	}

	private int run(List<String> arguments) {
		List<String> line = new ArrayList<>(List.of("inspect"));
		line.addAll(arguments);
		CommandRun run = CommandRun.of(line.toArray(String[]::new));
		this.out = run.out();
		this.err = run.err();
		return run.exitCode();
	}

	private Map<Path, String> contents() throws IOException {
		Map<Path, String> contents = new TreeMap<>();
		try (Stream<Path> files = Files.walk(this.data.path())) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				CRC32C crc = new CRC32C();
				crc.update(Files.readAllBytes(file));
				contents.put(file, crc.getValue() + " " + Files.getLastModifiedTime(file));
			}
		}
		return contents;
	}

}
