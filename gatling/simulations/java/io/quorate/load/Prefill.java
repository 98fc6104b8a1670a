package io.quorate.load;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.quorate.client.CallOptions;
import io.quorate.client.ClientBuilder;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import org.jspecify.annotations.Nullable;

/**
 * Writes every key once before a simulation, so that each of its reads has to find a
 * value. Each write is one request: a node that refuses one now is no node to measure.
 */
final class Prefill {

	/* What so many have under way stays far below every bound of the service. */
	private static final int WORKERS = 16;

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private final List<String> urls;

	private final ClientBuilder client;

	private final byte[] value;

	Prefill(List<String> urls, Credentials credentials, UnaryOperator<CallOptions> replicas, byte[] value) {
		this.urls = urls;
		this.client = credentials.givenTo(QuorateClient.builder())
			.endpoints(urls)
			.options(replicas)
			.options((options) -> options.attempts(1)
				.nodeTimeout(TIMEOUT)
				.stallTimeout(TIMEOUT.plusSeconds(5))
				.deadline(TIMEOUT.plusSeconds(5)));
		this.value = value;
	}

	/**
	 * Returns when each key has been written.
	 * @throws IllegalStateException if one was not
	 */
	void write(Keys keys) {
		Iterator<String> rest = keys.all().iterator();
		try (QuorateClient all = this.client.build();
				ExecutorService executor = Executors.newFixedThreadPool(WORKERS)) {
			List<Future<?>> workers = IntStream.range(0, WORKERS).<Future<?>>mapToObj((index) -> {
				QuorateClient node = all.at(this.urls.get(index % this.urls.size()));
				return executor.submit(() -> write(node, rest));
			}).toList();
			for (Future<?> worker : workers) {
				worker.get();
			}
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException("The keys could not be written", ex);
		}
	}

	private void write(QuorateClient node, Iterator<String> rest) {
		for (String key = next(rest); key != null; key = next(rest)) {
			node.put(key, this.value);
		}
	}

	private static @Nullable String next(Iterator<String> rest) {
		synchronized (rest) {
			return rest.hasNext() ? rest.next() : null;
		}
	}

}
