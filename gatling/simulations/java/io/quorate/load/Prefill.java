package io.quorate.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * Writes every key once before a simulation, so that each of its reads has to find a
 * value.
 */
final class Prefill {

	/* What so many have under way stays far below every bound of the service. */
	private static final int WORKERS = 16;

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private final List<String> urls;

	private final Credentials credentials;

	private final String parameters;

	private final byte[] value;

	Prefill(List<String> urls, Credentials credentials, String parameters, byte[] value) {
		this.urls = urls;
		this.credentials = credentials;
		this.parameters = parameters;
		this.value = value;
	}

	/**
	 * Returns when each key has been written.
	 * @throws IllegalStateException if an answer is not 201
	 */
	void write(Keys keys) {
		Iterator<String> rest = keys.all().iterator();
		try (HttpClient client = this.credentials.client();
				ExecutorService executor = Executors.newFixedThreadPool(WORKERS)) {
			List<Future<?>> workers = IntStream.range(0, WORKERS).<Future<?>>mapToObj((index) -> executor.submit(() -> {
				String url = this.urls.get(index % this.urls.size());
				for (String key = next(rest); key != null; key = next(rest)) {
					write(client, url + "/v0/entity?id=" + key + this.parameters);
				}
				return null;
			})).toList();
			for (Future<?> worker : workers) {
				worker.get();
			}
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException("The keys could not be written", ex);
		}
	}

	private static @Nullable String next(Iterator<String> rest) {
		synchronized (rest) {
			return rest.hasNext() ? rest.next() : null;
		}
	}

	private void write(HttpClient client, String url) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
			.timeout(TIMEOUT.plusSeconds(5))
			.header(LoadSimulation.TIMEOUT_HEADER, Long.toString(TIMEOUT.toMillis()))
			.PUT(HttpRequest.BodyPublishers.ofByteArray(this.value));
		this.credentials.fields().forEach(request::header);
		HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
		if (response.statusCode() != 201) {
			throw new IOException("PUT " + url + ": " + response.statusCode() + " " + response.body());
		}
	}

}
