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

/**
 * A client of a node for any number of threads, each of which has one request under way.
 * What the node refuses is an answer, not an exception; an {@link IOException} means that
 * nobody knows what became of the request.
 */
final class NodeClient {

	static final String RETRY_AFTER = "Retry-After";

	/* Shared: each has a thread of its own. */
	private static final HttpClient HTTP = HttpClient.newBuilder()
		.version(Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(10))
		.build();

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	/*
	 * The machine may be busy with much else; that a deadline is kept is tested
	 * elsewhere.
	 */
	private static final String PATIENCE_MILLIS = "30000";

	private final NodeProcess node;

	private NodeClient(NodeProcess node) {
		this.node = node;
	}

	static NodeClient of(NodeProcess node) {
		return new NodeClient(node);
	}

	int status() {
		try {
			return HTTP
				.send(request(this.node.uri("/v0/status")).timeout(Duration.ofSeconds(5)).build(),
						BodyHandlers.discarding())
				.statusCode();
		}
		catch (IOException notYet) {
			return -1;
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
	}

	HttpResponse<byte[]> get(String key) throws IOException, InterruptedException {
		return send(entity(key).GET());
	}

	HttpResponse<byte[]> put(String key, byte[] value) throws IOException, InterruptedException {
		return send(entity(key).PUT(BodyPublishers.ofByteArray(value)));
	}

	HttpResponse<byte[]> delete(String key) throws IOException, InterruptedException {
		return send(entity(key).DELETE());
	}

	/** Everything from a key on, each record as its key, a line feed and its value. */
	InputStream scan(String start) throws IOException, InterruptedException {
		HttpResponse<InputStream> answer = HTTP.send(
				request(this.node.uri("/v0/entities?start=" + start)).timeout(TIMEOUT).build(),
				BodyHandlers.ofInputStream());
		if (answer.statusCode() != 200) {
			throw new IOException("the scan was answered " + answer.statusCode());
		}
		return answer.body();
	}

	private HttpRequest.Builder entity(String key) {
		return request(this.node.uri("/v0/entity?id=" + key)).timeout(TIMEOUT);
	}

	private static HttpRequest.Builder request(URI uri) {
		return HttpRequest.newBuilder(uri).header("Quorate-Timeout", PATIENCE_MILLIS);
	}

	private static HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return HTTP.send(request.build(), BodyHandlers.ofByteArray());
	}

}
