import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.quorate.client.KeyRecord;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;

/**
 * Writes and reads many keys at once with the asynchronous client, and shows how long it
 * took. QUORATE_ENDPOINTS has the nodes, with commas between them.
 */
public class ConcurrentReads {

	private static final int COUNT = 500;

	private static final int AT_ONCE = 32;

	public static void main(String[] args) {
		// The client sends so many requests at once; the other calls wait for their turn.
		try (QuorateAsyncClient client = QuorateAsyncClient.builder().environment().connections(AT_ONCE).buildAsync()) {
			long began = System.nanoTime();
			List<CompletableFuture<Boolean>> trips = new ArrayList<>();
			for (int i = 0; i < COUNT; i++) {
				trips.add(roundTrip(client, i));
			}
			long right = trips.stream().filter(CompletableFuture::join).count();
			System.out.printf("%d of %d round trips right in %.2f s%n", right, COUNT,
					(System.nanoTime() - began) / 1e9);
		}
		try (QuorateClient client = QuorateClient.builder().environment().build();
				RangeIterator<KeyRecord> range = client.keys(RangeQuery.prefix("square/"))) {
			List<String> keys = range.stream().map(KeyRecord::key).toList();
			System.out.printf("%d keys, from %s to %s%n", keys.size(), keys.get(0), keys.get(keys.size() - 1));
		}
	}

	private static CompletableFuture<Boolean> roundTrip(QuorateAsyncClient client, int number) {
		String key = "square/%04d".formatted(number);
		String square = Integer.toString(number * number);
		return client.put(key, square)
			.thenCompose((written) -> client.get(key))
			.thenApply((entity) -> entity.filter((each) -> each.text().equals(square)).isPresent());
	}

}
