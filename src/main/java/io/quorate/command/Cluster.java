package io.quorate.command;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * The nodes of a cluster, as the user lists them. A request goes to the node that
 * answered last, and to the next one when that one cannot answer. A write goes to the
 * next node only if it is certain that it has not happened: there was no connection, or
 * the node has said so. A read goes there after any failure. Safe for use by several
 * threads.
 */
final class Cluster implements AutoCloseable {

	private static final Duration CONNECT = Duration.ofSeconds(5);

	/* A node ends a request by its own deadline: this is for one that stands still. */
	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/* To a node that stands still in its last moment the answer is still on its way. */
	private static final Duration BEHIND_TIMEOUT = Duration.ofSeconds(2);

	/* Nothing was done, and another node may do it. */
	private static final Set<Integer> REFUSALS = Set.of(503, 507);

	private final List<URI> nodes;

	private final NodeAccess access;

	private final @Nullable Duration timeout;

	private final HttpClient client;

	private final AtomicInteger preferred = new AtomicInteger();

	Cluster(List<URI> nodes, NodeAccess access, @Nullable Duration timeout) {
		this.nodes = nodes;
		this.access = access;
		this.timeout = timeout;
		this.client = access.client(CONNECT, nodes);
	}

	List<URI> nodes() {
		return this.nodes;
	}

	/**
	 * Sends a request, and returns the first answer that is no refusal, with its whole
	 * body.
	 * @throws CommandException if no node answers, or the outcome of a write is unknown
	 */
	HttpResponse<byte[]> send(Call call) {
		return send(call, BodyHandlers.ofByteArray());
	}

	/** The same for a read whose body is long. The caller closes the body. */
	HttpResponse<InputStream> stream(Call call) {
		return send(call, BodyHandlers.ofInputStream());
	}

	private <T> HttpResponse<T> send(Call call, BodyHandler<T> handler) {
		List<String> failures = new ArrayList<>();
		int first = this.preferred.get();
		for (int i = 0; i < this.nodes.size(); i++) {
			int at = (first + i) % this.nodes.size();
			URI node = this.nodes.get(at);
			try {
				HttpResponse<T> answer = this.client.send(request(node, call), StallTimeout.of(handler, patience()));
				if (!isForTheNext(call, answer)) {
					this.preferred.set(at);
					return answer;
				}
				failures.add(node + ": " + explained(answer));
			}
			catch (ConnectException | HttpConnectTimeoutException | SSLHandshakeException notSent) {
				failures.add(node + ": " + reason(notSent));
			}
			catch (IOException failure) {
				if (!call.isRead()) {
					throw unknown(call, node, failure);
				}
				failures.add(node + ": " + reason(failure));
			}
			catch (InterruptedException interrupted) {
				Thread.currentThread().interrupt();
				throw call.isRead() ? new CommandException(ExitCode.FAILED, "interrupted", interrupted)
						: unknown(call, node, interrupted);
			}
		}
		throw new CommandException(ExitCode.UNAVAILABLE, String.join(System.lineSeparator() + "quorate: ", failures));
	}

	private static CommandException unknown(Call call, URI node, Exception failure) {
		return new CommandException(ExitCode.UNKNOWN, node + ": " + reason(failure) + notRepeated(call), failure);
	}

	private static String notRepeated(Call call) {
		return ". The " + call.noun() + " may have happened or not; it was not repeated.";
	}

	/** Has the next request go to the next node. */
	void preferNext() {
		this.preferred.updateAndGet((at) -> (at + 1) % this.nodes.size());
	}

	/** Asks one node, and no other one. */
	HttpResponse<byte[]> ask(URI node, Call call) throws IOException, InterruptedException {
		return this.client.send(request(node, call), StallTimeout.of(BodyHandlers.ofByteArray(), patience()));
	}

	private HttpRequest request(URI node, Call call) {
		HttpRequest.Builder request = this.access.request(node, call.path());
		call.headers().forEach(request::header);
		if (this.timeout != null) {
			request.header("Quorate-Timeout", Long.toString(this.timeout.toMillis()));
		}
		byte[] body = call.body();
		return request.timeout(patience())
			.method(call.method(), (body != null) ? BodyPublishers.ofByteArray(body) : BodyPublishers.noBody())
			.build();
	}

	private Duration patience() {
		return (this.timeout != null) ? this.timeout.plus(BEHIND_TIMEOUT) : PATIENCE;
	}

	/* A proxy may say 503 of a request that has reached a node. */
	private static boolean isForTheNext(Call call, HttpResponse<?> answer) {
		int status = answer.statusCode();
		return call.isRead() ? Answers.isFailure(status) : REFUSALS.contains(status) && Answers.isProblem(answer);
	}

	/** A failed answer as an exception, with the reason that the node gives. */
	CommandException failure(Call call, HttpResponse<?> answer) {
		int exitCode = Answers.exitCode(call, answer);
		return new CommandException(exitCode,
				node(answer) + ": " + explained(answer) + ((exitCode == ExitCode.UNKNOWN) ? notRepeated(call) : ""));
	}

	/** The node that has answered. */
	static String node(HttpResponse<?> answer) {
		return answer.uri().getScheme() + "://" + answer.uri().getAuthority();
	}

	String explained(HttpResponse<?> answer) {
		return Answers.explained(answer, this.access);
	}

	/** The reason of a failure between the command and a node, in words for a user. */
	static String reason(Throwable failure) {
		String message = (failure.getMessage() != null) ? failure.getMessage() : "";
		return switch (failure) {
			case SSLException insecure -> "no secure connection: " + insecure(message);
			case HttpConnectTimeoutException silent -> "does not answer";
			case HttpTimeoutException late -> "has not answered in time";
			case ConnectException refused when refused.getCause() instanceof UnresolvedAddressException ->
				"there is no host of this name";
			case ConnectException refused -> "no connection" + (message.isEmpty() ? "" : ": " + message);
			case JacksonException noJson -> "the answer is no JSON";
			case CharacterCodingException noText -> "the answer is not UTF-8";
			case IOException _ when message.contains("received no bytes")
					|| failure.getCause() instanceof EOFException ->
				"the connection was closed before the end of the answer";
			case IOException _ when message.startsWith("chunked") || message.startsWith("fixed content-length") ->
				"the answer was broken off";
			case InterruptedException _ -> "interrupted";
			default -> message.isEmpty() ? "the connection was lost" : message;
		};
	}

	/* The JDK gives the names of its classes. */
	private static String insecure(String message) {
		if (message.contains("validity check") || message.contains("NotAfter") || message.contains("NotBefore")) {
			return "its certificate is not valid at this time";
		}
		if (message.contains("PKIX") || message.contains("certification path")) {
			return "its certificate is of no authority that the command trusts (" + NodeOptions.AUTHORITY
					+ " names the authority to trust)";
		}
		if (message.contains("Unsupported or unrecognized SSL message") || message.contains("plaintext")) {
			return "the node speaks no TLS here: its URL may be http";
		}
		if (message.contains("No subject alternative") || message.contains("No name matching")) {
			return "its certificate is for another host: " + message.substring(message.indexOf("No "));
		}
		return message + " (" + NodeOptions.AUTHORITY + " names the authority to trust)";
	}

	@Override
	public void close() {
		this.client.shutdownNow();
	}

}
