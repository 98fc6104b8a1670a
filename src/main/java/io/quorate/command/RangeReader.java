package io.quorate.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * A reader of a whole range. When an answer is broken off, it reads the rest from the
 * next node, so that each record comes once and none is missing. Used by one thread.
 */
final class RangeReader {

	private final Cluster cluster;

	private final Range range;

	private long records;

	private @Nullable String last;

	RangeReader(Cluster cluster, Range range) {
		this(cluster, range, null);
	}

	/** The rest of a range behind a key that was read before. */
	RangeReader(Cluster cluster, Range range, @Nullable String last) {
		this.cluster = cluster;
		this.range = range;
		this.last = last;
	}

	/**
	 * Reads the range to its end.
	 * @param taker takes each record; it says whether it wants more
	 * @return the number of records
	 * @throws CommandException when no node can answer
	 */
	long read(Predicate<RangeRecord> taker) {
		int fruitless = 0;
		while (this.records < this.range.limit()) {
			long before = this.records;
			String failure = readOne(taker);
			if (failure == null) {
				break;
			}
			fruitless = (this.records > before) ? 0 : fruitless + 1;
			if (fruitless > this.cluster.nodes().size()) {
				throw new CommandException(ExitCode.UNAVAILABLE,
						"the answer was broken off after %d records: %s".formatted(this.records, failure));
			}
			this.cluster.preferNext();
		}
		return this.records;
	}

	/* The reason why the answer is not whole, or null. */
	private @Nullable String readOne(Predicate<RangeRecord> taker) {
		Call call = (this.last != null) ? this.range.rest(this.last, remaining()) : this.range.call();
		HttpResponse<InputStream> answer = this.cluster.stream(call.withHeader("Accept", "application/x-ndjson"));
		if (!Answers.isSuccess(answer)) {
			throw this.cluster.failure(call, answer);
		}
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(answer.body(), StandardCharsets.UTF_8.newDecoder()))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				RangeRecord read = RangeRecord.parse(line);
				if (read.isLast()) {
					return null;
				}
				this.records++;
				this.last = read.key();
				if (!taker.test(read)) {
					return null;
				}
			}
			return "the last line is missing";
		}
		catch (IOException | JacksonException brokenOff) {
			return Cluster.reason(brokenOff);
		}
	}

	private long remaining() {
		return (this.range.limit() == Long.MAX_VALUE) ? Long.MAX_VALUE : this.range.limit() - this.records;
	}

}
