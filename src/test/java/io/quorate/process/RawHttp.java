package io.quorate.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import io.quorate.process.CredentialLoad.Identity;
import io.quorate.security.access.Token;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a node that the client for Java does not send, and answers as it does not
 * show them: paths of operators, with credentials and without, ranges in the form for
 * people, their pages by links, refused parameters, fields of the header, a program of
 * before, and batches whose answers are read as they come.
 */
final class RawHttp {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	/* Shared: each has a thread of its own. */
	private static final HttpClient HTTP = HttpClient.newBuilder()
		.version(Version.HTTP_1_1)
		.connectTimeout(TIMEOUT)
		.build();

	private final NodeProcess node;

	private final Duration deadline;

	RawHttp(NodeProcess node, Duration deadline) {
		this.node = node;
		this.deadline = deadline;
	}

	HttpResponse<byte[]> get(String pathAndQuery) throws IOException, InterruptedException {
		return HTTP.send(request(pathAndQuery).build(), BodyHandlers.ofByteArray());
	}

	/** Reads over HTTPS as one of its clients, on a connection of its own. */
	static HttpResponse<byte[]> get(NodeProcess node, String path, Identity identity)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(node.uri(path)).timeout(TIMEOUT);
		try (HttpClient client = HttpClient.newBuilder()
			.version(Version.HTTP_1_1)
			.sslContext(identity.tls())
			.connectTimeout(TIMEOUT)
			.build()) {
			Token token = identity.token();
			if (token != null) {
				request.header("Authorization", "Bearer " + token.text());
			}
			return client.send(request.build(), BodyHandlers.ofByteArray());
		}
	}

	HttpResponse<byte[]> post(String path, String json) throws IOException, InterruptedException {
		return HTTP.send(
				request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)).build(),
				BodyHandlers.ofByteArray());
	}

	/** Reads the answer as it comes, with whatever status. */
	HttpResponse<InputStream> open(String pathAndQuery) throws IOException, InterruptedException {
		return HTTP.send(request(pathAndQuery).build(), BodyHandlers.ofInputStream());
	}

	/** A batch, whose answer is read as it comes. */
	HttpResponse<InputStream> openBatch(String pathAndQuery, String lines) throws IOException, InterruptedException {
		return HTTP.send(request(pathAndQuery).POST(BodyPublishers.ofString(lines)).build(),
				BodyHandlers.ofInputStream());
	}

	/**
	 * Reads a range as it comes.
	 * @param format media type of the records, {@code null} for none
	 */
	InputStream scan(String pathAndQuery, @Nullable String format) throws IOException, InterruptedException {
		HttpRequest.Builder request = request(pathAndQuery);
		HttpResponse<InputStream> answer = HTTP.send(
				((format != null) ? request.header("Accept", format) : request).build(), BodyHandlers.ofInputStream());
		if (answer.statusCode() != 200) {
			answer.body().close();
			throw new IOException("the scan was answered " + answer.statusCode());
		}
		return answer.body();
	}

	private HttpRequest.Builder request(String pathAndQuery) {
		URI uri = this.node.uri(pathAndQuery);
		return HttpRequest.newBuilder(uri)
			.timeout(TIMEOUT)
			.header("Quorate-Timeout", Long.toString(this.deadline.toMillis()));
	}

}
