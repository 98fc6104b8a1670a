package io.quorate.storage.compaction;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.storage.manifest.TableMeta;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Runs the scenarios beside it: {@code runs} says what there is (see {@link RunFixture}),
 * {@code pick} and {@code pick-level-zero} print the task chosen, {@code debt} what all
 * that are due would read. With {@code -Dgolden.rewrite} the answers in the files are
 * replaced by those given.
 */
class CompactionPickerTests {

	private static final Path SCENARIOS = Path.of("src/test/resources/io/quorate/storage/compaction");

	private static final String SEPARATOR = "----";

	private final CompactionPicker picker = new CompactionPicker(CompactionLimits.DEFAULT);

	private List<TableMeta> tables = List.of();

	@ParameterizedTest
	@ValueSource(strings = { "levels", "space", "purge", "values", "busy", "quarantine", "debt", "cleanup" })
	void scenarioIsAnsweredAsWritten(String name) throws IOException {
		Path file = SCENARIOS.resolve(name + ".txt");
		String written = Files.readString(file);
		String answered = Stream.of(written.split("\n\n", -1)).map(this::answer).collect(Collectors.joining("\n\n"));
		if (System.getProperty("golden.rewrite") != null) {
			Files.writeString(file, answered);
		}
		else {
			assertThat(answered).isEqualTo(written);
		}
	}

	@Test
	void limitsThatMakeNoSenseAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new CompactionLimits(1, 4, 0.5, 0.5));
		assertThatIllegalArgumentException().isThrownBy(() -> new CompactionLimits(4, 3, 0.5, 0.5));
		assertThatIllegalArgumentException().isThrownBy(() -> new CompactionLimits(4, 4, 0, 0.5));
		assertThatIllegalArgumentException().isThrownBy(() -> new CompactionLimits(4, 4, 0.5, -1));
	}

	private String answer(String block) {
		if (!block.contains(SEPARATOR)) {
			return block;
		}
		String question = block.substring(0, block.indexOf(SEPARATOR));
		List<String> lines = question.lines().filter((line) -> !line.startsWith("#")).toList();
		boolean endsFile = block.endsWith("\n");
		return question + SEPARATOR + "\n" + run(lines.getFirst(), lines.subList(1, lines.size()))
				+ (endsFile ? "\n" : "");
	}

	private String run(String command, List<String> body) {
		String[] words = command.split(" ", -1);
		return switch (words[0]) {
			case "runs" -> {
				this.tables = body.stream().flatMap((line) -> RunFixture.parse(line).stream()).toList();
				yield "%d tables, %d KiB".formatted(this.tables.size(),
						this.tables.stream().mapToLong((table) -> table.summary().sizeBytes() / 1024).sum());
			}
			case "pick" -> describe(this.picker.pick(state(words)));
			case "pick-level-zero" -> describe(this.picker.pickLevelZero(state(words)));
			case "debt" -> "%d KiB".formatted(this.picker.debtBytes(state(words)) / 1024);
			default -> throw new IllegalArgumentException("unknown command " + command);
		};
	}

	private CompactionState state(String[] words) {
		Map<String, String> options = new HashMap<>();
		for (String word : List.of(words).subList(1, words.length)) {
			String[] pair = word.split("=", 2);
			options.put(pair[0], pair[1]);
		}
		Timestamp purgeBefore = Timestamp.ofMillis(Long.parseLong(options.getOrDefault("purge-before", "0")));
		return new CompactionState(this.tables, numbers(options.get("busy")), numbers(options.get("quarantined")),
				numbers(options.get("unclean")), numbers(options.get("due")),
				new CompactionState.PurgeBounds(purgeBefore,
						Long.parseLong(options.getOrDefault("purge-through", Long.toString(Long.MAX_VALUE))),
						Long.parseLong(options.getOrDefault("now", "0"))));
	}

	private static Set<Long> numbers(@Nullable String text) {
		return (text == null) ? Set.of()
				: Stream.of(text.split(",", -1)).map(Long::valueOf).collect(Collectors.toSet());
	}

	private static String describe(Optional<CompactionTask> picked) {
		if (picked.isEmpty()) {
			return "nothing";
		}
		CompactionTask task = picked.get();
		List<String> runs = new ArrayList<>();
		for (TableMeta table : task.inputs()) {
			String run = Long.toString(table.run());
			if (!runs.contains(run)) {
				runs.add(run);
			}
		}
		return "%s: runs %s -> level %d, %d KiB".formatted(task.reason(), String.join(" ", runs), task.outputLevel(),
				task.inputBytes() / 1024);
	}

}
