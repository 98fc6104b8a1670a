package io.quorate.process;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;

import io.quorate.Handbook;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The recipes of the handbook, typed into a shell in their order, each line for another
 * node. Needs {@code bash} and {@code curl}.
 */
class RecipesIT extends SharedCluster {

	private static final String KEY = "/v0/entity/lock:report";

	/* It stands for the version that was written. */
	private static final String TAG = "\"0192f3c5a1b20000-00000007\"";

	private final HttpClient http = HttpClient.newHttpClient();

	@Test
	void aLockIsCreatedOnceTouchedAndDeleted() throws Exception {
		List<ConsoleExample> examples = ConsoleExample.ofHandbook(Handbook.RECIPES, "Lock");
		assertThat(examples).hasSize(3);
		type(examples.getFirst(), "n0", TAG);
		String tag = send("n0", "HEAD", "X: y").headers().firstValue("etag").orElseThrow();
		assertThat(send("n1", "PUT", "If-None-Match: *").statusCode()).isEqualTo(412);
		type(examples.get(1), "n1", tag);
		assertThat(send("n2", "HEAD", "X: y").headers().firstValue("etag")).contains(tag);
		type(examples.get(2), "n2", tag);
		assertThat(send("n0", "HEAD", "X: y").statusCode()).isEqualTo(404);
	}

	/*
	 * A machine that is busy reads clocks too slowly for a while: then nothing is done.
	 */
	private void type(ConsoleExample example, String node, String tag) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> example
				.verify((text) -> text.replace("http://localhost:8080", base(node)).replace(TAG, tag)));
	}

	private HttpResponse<String> send(String node, String method, String field) throws Exception {
		String[] named = field.split(": ", -1);
		return this.http.send(HttpRequest.newBuilder(URI.create(base(node) + KEY + "?consistency=linearizable"))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.header(named[0], named[1])
			.build(), HttpResponse.BodyHandlers.ofString());
	}

	private String base(String node) {
		return "http://127.0.0.1:" + this.cluster.node(node).port();
	}

}
