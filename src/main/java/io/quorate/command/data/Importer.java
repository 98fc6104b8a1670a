package io.quorate.command.data;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

import io.quorate.client.Request;
import io.quorate.clock.TimeSource;
import io.quorate.command.access.Answers;
import io.quorate.command.access.Cluster;
import io.quorate.command.access.ConsistencyOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.Progress;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The writer of many items: sends batches, and sends again what was certainly not
 * written, with growing pauses. Safe for threads.
 */
final class Importer {

	/** The most workers of an export or an import. */
	static final int MOST_WORKERS = 64;

	/** The most attempts at a record. */
	static final int TRIES = 12;

	private static final long FIRST_PAUSE_MILLIS = 100;

	private static final long LONGEST_PAUSE_MILLIS = 5_000;

	private final Cluster cluster;

	private final ConsistencyOptions consistency;

	private final boolean isRepeating;

	private final Progress progress;

	private final Unwritten outcome;

	/**
	 * A writer.
	 * @param isRepeating whether a record whose outcome is unknown is sent again, too
	 */
	Importer(Cluster cluster, ConsistencyOptions consistency, boolean isRepeating, Progress progress,
			Unwritten outcome) {
		this.cluster = cluster;
		this.consistency = consistency;
		this.isRepeating = isRepeating;
		this.progress = progress;
		this.outcome = outcome;
	}

	/**
	 * Writes records.
	 * @throws CommandException if no node takes them: what is left, and not noted as
	 * unknown, was not written
	 */
	void write(List<ImportItem> batch) throws IOException {
		write(batch, LockSupport::parkNanos);
	}

	/** The same with other pauses, each of so many nanoseconds. */
	void write(List<ImportItem> batch, LongConsumer pause) throws IOException {
		List<ImportItem> left = batch;
		Set<ImportItem> doubtful = Collections.newSetFromMap(new IdentityHashMap<>());
		CommandException last = null;
		for (int i = 0; i < TRIES && !left.isEmpty(); i++) {
			if (i > 0) {
				pause.accept(
						TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << (i - 1))));
			}
			this.cluster.preferNext();
			try {
				left = writeOnce(left, doubtful);
				last = null;
			}
			catch (CommandException failure) {
				if (failure.exitCode() == ExitCode.UNAVAILABLE) {
					last = failure;
				}
				else if (failure.exitCode() != ExitCode.UNKNOWN) {
					throw failure;
				}
				else if (this.isRepeating) {
					doubtful.addAll(left);
				}
				else {
					unknown(left, String.valueOf(failure.getMessage()));
					return;
				}
			}
		}
		List<ImportItem> unknown = left.stream().filter(doubtful::contains).toList();
		unknown(unknown, "not acknowledged in %d attempts, some of unknown outcome".formatted(TRIES));
		if (unknown.size() < left.size()) {
			throw (last != null) ? last
					: new CommandException(ExitCode.UNAVAILABLE, "the nodes refuse writes for too long");
		}
	}

	/* Those that are to be sent again; adds to the doubtful ones. */
	private List<ImportItem> writeOnce(List<ImportItem> batch, Set<ImportItem> doubtful) throws IOException {
		StringBuilder body = new StringBuilder();
		batch.forEach((item) -> body.append(item.request()).append('\n'));
		Request request = this.consistency.on(Request.write("POST", "/v0/batch"))
			.body(body.toString().getBytes(StandardCharsets.UTF_8));
		List<String> lines = Answers.text(this.cluster.send(request, Answers::isOk)).lines().toList();
		List<ImportItem> again = new ArrayList<>();
		for (int i = 0; i < batch.size(); i++) {
			int outcome = take(batch.get(i), (i < lines.size()) ? lines.get(i) : "");
			if (outcome == ExitCode.UNAVAILABLE || (outcome == ExitCode.UNKNOWN && this.isRepeating)) {
				again.add(batch.get(i));
			}
			if (outcome == ExitCode.UNKNOWN) {
				doubtful.add(batch.get(i));
			}
		}
		return again;
	}

	private int take(ImportItem item, String line) throws IOException {
		JsonNode answer = parsed(line);
		int status = answer.path("status").asInt(0);
		String reason = (status == 0) ? "the node has not answered"
				: status + " " + answer.path("problem").path("detail").asString("");
		int outcome = Answers.itemOutcome(status, item.written());
		switch (outcome) {
			case ExitCode.DONE -> this.progress.done(1);
			case ExitCode.FAILED -> {
				// While it waited or was on its way.
				if (item.hasExpired(TimeSource.SYSTEM.millis())) {
					return ExitCode.DONE;
				}
				this.progress.failed(1);
				this.outcome.refused(item, reason);
			}
			case ExitCode.UNKNOWN -> {
				if (!this.isRepeating) {
					unknown(List.of(item), reason);
				}
			}
			default -> {
			}
		}
		return outcome;
	}

	private static JsonNode parsed(String line) {
		try {
			return JsonMapper.shared().readTree(line);
		}
		catch (JacksonException cutOff) {
			return JsonMapper.shared().createObjectNode();
		}
	}

	private void unknown(List<ImportItem> items, String reason) throws IOException {
		this.progress.failed(items.size());
		for (ImportItem item : items) {
			this.outcome.unknown(item, reason);
		}
	}

}
