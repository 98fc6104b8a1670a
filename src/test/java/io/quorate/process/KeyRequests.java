package io.quorate.process;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Requests by which clients coordinate, each to the next node of a cluster, as the
 * recipes of the handbook want them: what was not done because others were faster, or
 * because the clocks of a busy machine were read too slowly for an expiry, is asked for
 * again. For any number of threads.
 */
final class KeyRequests implements AutoCloseable {

	/* The machine may be busy with much else. */
	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final String CLOCK = "urn:quorate:problem:clock";

	private final HttpClient http = HttpClient.newHttpClient();

	private final Supplier<ClusterProcesses> cluster;

	private final Duration patience;

	private final AtomicInteger next = new AtomicInteger();

	KeyRequests(Supplier<ClusterProcesses> cluster) {
		this(cluster, PATIENCE);
	}

	/** As above, with another time for each request. */
	KeyRequests(Supplier<ClusterProcesses> cluster, Duration patience) {
		this.cluster = cluster;
		this.patience = patience;
	}

	Reply get(String key) throws IOException, InterruptedException {
		return send("GET", "/v0/entity/" + key + "?consistency=linearizable", "");
	}

	Reply put(String keyAndQuery, String value, String... condition) throws IOException, InterruptedException {
		return send("PUT", "/v0/entity/" + keyAndQuery, value, condition);
	}

	Reply create(String keyAndQuery, String value) throws IOException, InterruptedException {
		return put(keyAndQuery, value, "If-None-Match", "*");
	}

	Reply replace(String keyAndQuery, Reply seen, String value) throws IOException, InterruptedException {
		return put(keyAndQuery, value, "If-Match", seen.etag());
	}

	Reply touch(String keyAndQuery, Reply seen) throws IOException, InterruptedException {
		return send("PATCH", "/v0/entity/" + keyAndQuery, "", "If-Match", seen.etag());
	}

	Reply delete(String key, Reply seen) throws IOException, InterruptedException {
		return send("DELETE", "/v0/entity/" + key, "", "If-Match", seen.etag());
	}

	/** Sends a request, with fields as their names and values in turn. */
	Reply send(String method, String pathAndQuery, String body, String... fields)
			throws IOException, InterruptedException {
		Reply reply = sendOnce(method, pathAndQuery, body, fields);
		while (reply.status() == 409 || reply.body().contains(CLOCK)) {
			awaitOthers();
			reply = sendOnce(method, pathAndQuery, body, fields);
		}
		return reply;
	}

	/** Waits for a random time, so that those who met each other do not meet again. */
	static void awaitOthers() {
		new Pace(Duration.ofMillis(ThreadLocalRandom.current().nextInt(50, 200))).await();
	}

	private Reply sendOnce(String method, String pathAndQuery, String body, String... fields)
			throws IOException, InterruptedException {
		URI address = this.cluster.get()
			.node("n" + this.next.getAndIncrement() % SharedCluster.NODES)
			.uri(pathAndQuery);
		HttpRequest.Builder request = HttpRequest.newBuilder(address)
			.timeout(this.patience.multipliedBy(2))
			.header("Quorate-Timeout", Long.toString(this.patience.toMillis()))
			.method(method,
					body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
		if (fields.length > 0) {
			request.headers(fields);
		}
		HttpResponse<String> response = this.http.send(request.build(), HttpResponse.BodyHandlers.ofString());
		return new Reply(response.statusCode(), response.headers().firstValue("ETag").orElse(""),
				response.headers().firstValue("Expires").orElse(""),
				response.headers().firstValue("Quorate-Version").orElse(""), response.body());
	}

	@Override
	public void close() {
		this.http.close();
	}

	/** An answer, with empty texts for fields that it has not. */
	record Reply(int status, String etag, String expires, String version, String body) {
	}

}
