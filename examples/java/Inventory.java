import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quorate.client.FailedItem;
import io.quorate.client.ItemResult;
import io.quorate.client.OutcomeUnknownException;
import io.quorate.client.Put;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import io.quorate.client.UnavailableException;

/**
 * Keeps an inventory in Quorate, and says what to do when something goes wrong.
 * QUORATE_ENDPOINTS has the nodes, with commas between them.
 */
public class Inventory {

	private static final Map<String, Integer> STOCK = new TreeMap<>(
			Map.of("apples", 12, "pears & plums", 7, "Äpfel + Birnen", 0));

	public static void main(String[] args) {
		try (QuorateClient client = QuorateClient.builder().environment().build()) {
			stockUp(client);
			System.out.println("5 apples: " + (take(client, "apples", 5) ? "taken" : "not enough"));
			System.out.println("8 pears & plums: " + (take(client, "pears & plums", 8) ? "taken" : "not enough"));
			try (RangeIterator<RangeRecord> stock = client.range(RangeQuery.prefix("stock/"))) {
				stock.forEachRemaining((each) -> System.out.printf("%-20s %3s%n",
						each.key().substring("stock/".length()), each.text()));
			}
		}
		catch (OutcomeUnknownException unknown) {
			System.err.println("Look before you write again: " + unknown.getMessage());
			System.exit(1);
		}
		catch (UnavailableException unavailable) {
			System.err.println("Nothing was written; try again later: " + unavailable.getMessage());
			System.exit(1);
		}
		catch (QuorateException error) {
			System.err.println(error.getMessage());
			System.exit(1);
		}
	}

	/** Writes all items in one request. */
	private static void stockUp(QuorateClient client) {
		List<Put> items = STOCK.entrySet()
			.stream()
			.map((each) -> Put.of("stock/" + each.getKey(), each.getValue().toString()).contentType("application/json"))
			.toList();
		List<ItemResult> results = client.batch(items);
		for (int i = 0; i < items.size(); i++) {
			if (results.get(i) instanceof FailedItem failed) {
				if (!(failed.error() instanceof OutcomeUnknownException)) {
					throw failed.error();
				}
				// No other program writes this key, so that writing the same once more
				// does no harm.
				client.put(items.get(i), (options) -> options.repeatUnknown(true));
			}
		}
	}

	/** Takes something out of the stock; returns whether there was enough. */
	private static boolean take(QuorateClient client, String name, int count) {
		return client.update("stock/" + name, (stock) -> {
			int left = stock.map((entity) -> Integer.parseInt(entity.text())).orElse(0);
			// With nothing to write it stays as it is.
			return (left < count) ? null
					: Put.of("stock/" + name, Integer.toString(left - count)).contentType("application/json");
		}).isPresent();
	}

}
