package io.quorate.command.access;

import java.net.URI;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quorate.client.Answer;
import io.quorate.client.CallInterruptedException;
import io.quorate.client.CallOptions;
import io.quorate.client.FailedAttempt;
import io.quorate.client.IncompleteRangeException;
import io.quorate.client.NotFoundException;
import io.quorate.client.OperatorClient;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.PreconditionFailedException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeLine;
import io.quorate.client.Request;
import io.quorate.client.UnavailableException;
import io.quorate.client.Watch;
import io.quorate.client.WatchEvent;
import io.quorate.client.WatchOptions;
import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a cluster, as the user lists them. The client for Java asks them, one
 * after the other until one can answer; what it says of a failure becomes an exit code
 * and words for the user. Safe for use by several threads.
 */
public final class Cluster implements AutoCloseable {

	private static final Duration CONNECT = Duration.ofSeconds(5);

	/* A node ends a request by its own deadline: this is for one that stands still. */
	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/* As long as bytes come, the user waits, or ends the command. */
	private static final Duration WHOLE = Duration.ofDays(1);

	/* Each caller has a thread of its own, and their number is bounded. */
	private static final int CONNECTIONS = 1024;

	private static final int UNAUTHENTICATED = 401;

	private static final int FORBIDDEN = 403;

	private final List<URI> nodes;

	private final NodeAccess access;

	private final OperatorClient client;

	private final Map<URI, OperatorClient> clients = new ConcurrentHashMap<>();

	/** The nodes, none of which is asked yet; the time is that of one node. */
	public Cluster(List<URI> nodes, NodeAccess access, @Nullable Duration timeout) {
		this.nodes = nodes;
		this.access = access;
		this.client = OperatorClient.of(access.client(nodes)
			.shuffle(false)
			.connections(CONNECTIONS)
			.connectTimeout(CONNECT)
			.options((options) -> ((timeout != null) ? options.nodeTimeout(timeout).stallTimeout(timeout)
					: options.stallTimeout(PATIENCE))
				.deadline(WHOLE)));
	}

	/** The nodes in the order in which the user lists them. */
	public List<URI> nodes() {
		return this.nodes;
	}

	/**
	 * Sends a request to one node after the other, and returns the first answer that is a
	 * success.
	 * @throws CommandException if there is none, or the outcome of a write is unknown
	 */
	public Answer send(Request request, Predicate<Answer> isSuccess) {
		return send(request, isSuccess, false);
	}

	/**
	 * The same, of a write that no other client's can meet: it is repeated after any
	 * failure.
	 */
	public Answer sendAgain(Request request, Predicate<Answer> isSuccess) {
		return send(request, isSuccess, true);
	}

	private Answer send(Request request, Predicate<Answer> isSuccess, boolean isRepeated) {
		try {
			return this.client.send(request, isSuccess,
					(options) -> options.attempts(this.nodes.size()).repeatUnknown(isRepeated));
		}
		catch (QuorateException failure) {
			throw failed(failure, request.target().startsWith("/actuator/") ? "change" : "write");
		}
	}

	/**
	 * Asks one node, and no other one.
	 * @throws QuorateException if its answer is no success
	 */
	public Answer ask(URI node, Request request, Predicate<Answer> isSuccess) {
		return ask(node, request, isSuccess, UnaryOperator.identity());
	}

	/** The same with other options. */
	public Answer ask(URI node, Request request, Predicate<Answer> isSuccess, UnaryOperator<CallOptions> changes) {
		return this.clients.computeIfAbsent(node, this.client::at)
			.send(request, isSuccess, (options) -> changes.apply(options.attempts(1)));
	}

	/** Reads a range from its first record to its end. */
	public long read(Range range, Predicate<RangeLine> taker) {
		return read(range, null, taker);
	}

	/**
	 * Reads a range to its end. When an answer is broken off, the rest comes from the
	 * next node, so that each record comes once and none is missing.
	 * @param behind the key behind which to begin, {@code null} for the whole range
	 * @param taker takes each record; it says whether it wants more
	 * @return the number of records
	 * @throws CommandException when no node can answer
	 */
	public long read(Range range, @Nullable String behind, Predicate<RangeLine> taker) {
		long records = 0;
		try (RangeIterator<RangeLine> lines = this.client.range(range.query(behind), !range.isKeysOnly(),
				range.consistency()::on)) {
			boolean isWanted = true;
			while (isWanted && lines.hasNext()) {
				records++;
				isWanted = taker.test(lines.next());
			}
			return records;
		}
		catch (IncompleteRangeException brokenOff) {
			// What has ended it says whether another try has a sense.
			CommandException end = failed((brokenOff.getCause() instanceof QuorateException cause) ? cause : brokenOff,
					"read");
			throw new CommandException(end.exitCode(),
					"the answer was broken off after %d records: %s".formatted(records, end.getMessage()), brokenOff);
		}
		catch (QuorateException failure) {
			throw failed(failure, "read");
		}
	}

	/**
	 * Watches keys until the taker wants no more. What is lost with a node comes from the
	 * next one.
	 * @param taker takes each event; it says whether it wants more
	 * @throws CommandException when a node refuses the watch
	 */
	public void watch(WatchOptions options, Predicate<WatchEvent> taker) {
		try (Watch watch = this.client.watch(options)) {
			boolean isWanted = true;
			while (isWanted) {
				isWanted = watch.next(WHOLE).map(taker::test).orElse(true);
			}
		}
		catch (QuorateException failure) {
			throw failed(failure, "read");
		}
	}

	/**
	 * Has the client of applications do something with keys. It repeats what is done once
	 * by its condition.
	 * @throws CommandException if it fails, or the outcome of a write is unknown
	 */
	public <T> T call(Function<QuorateClient, T> call) {
		try {
			return call.apply(this.client.data());
		}
		catch (QuorateException failure) {
			throw failed(failure, "write");
		}
	}

	/** Has the next request go to the next node. */
	public void preferNext() {
		this.client.preferNext();
	}

	private CommandException failed(QuorateException failure, String noun) {
		int exitCode = exitCode(failure);
		Stream<String> attempts = failure.failures().stream().map((each) -> each.node() + ": " + words(failure, each));
		String message = Stream.concat(attempts, isOfNoNode(failure) ? Stream.of(words(failure)) : Stream.empty())
			.distinct()
			.collect(Collectors.joining(System.lineSeparator() + "quorate: "));
		String outcome = (failure instanceof OutcomeUnknownException unknown)
				? ". The %s may have happened or not; it was %srepeated.".formatted(noun,
						unknown.wasRepeated() ? "" : "not ")
				: "";
		return new CommandException(exitCode, message + hint(failure) + outcome, failure);
	}

	private static int exitCode(QuorateException failure) {
		return switch (failure) {
			case OutcomeUnknownException _ -> ExitCode.UNKNOWN;
			case CallInterruptedException _ -> ExitCode.FAILED;
			case UnavailableException _ -> ExitCode.UNAVAILABLE;
			case NotFoundException _ -> ExitCode.ABSENT;
			case PreconditionFailedException _ -> ExitCode.CHANGED;
			default -> ExitCode.FAILED;
		};
	}

	/** The reason of a failure at the node that was asked last, in words for a user. */
	public String reason(QuorateException failure) {
		return (isOfNoNode(failure) ? words(failure) : words(failure, failure.failures().getLast())) + hint(failure);
	}

	/* The failures before an interrupt are not the reason of the end. */
	private static boolean isOfNoNode(QuorateException failure) {
		return failure.failures().isEmpty() || isInterrupted(failure);
	}

	private static boolean isInterrupted(QuorateException failure) {
		return failure instanceof CallInterruptedException || failure.getCause() instanceof CallInterruptedException;
	}

	private static String words(QuorateException failure) {
		return isInterrupted(failure) ? "interrupted" : RangeRecord.printable(String.valueOf(failure.getMessage()));
	}

	private String words(QuorateException failure, FailedAttempt attempt) {
		if (attempt.status() == UNAUTHENTICATED) {
			return this.access.hasToken() ? "401: the node does not accept the token"
					: "401: the node asks for a token, " + NodeOptions.TOKEN_FILE + " names the file with it";
		}
		if (attempt.status() == FORBIDDEN && failure.problem().isEmpty()) {
			return "403: the principal of the token has no right to it";
		}
		return RangeRecord.printable(attempt.reason());
	}

	/* The client does not know the options of the command. */
	private static String hint(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof CertPathBuilderException) {
				return " (" + NodeOptions.AUTHORITY + " names the authority to trust)";
			}
		}
		return "";
	}

	@Override
	public void close() {
		this.client.close();
	}

}
