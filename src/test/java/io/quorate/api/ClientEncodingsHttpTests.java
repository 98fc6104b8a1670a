package io.quorate.api;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.util.UriComponentsBuilder;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Clients that encode keys in their own ways read the values of each other. */
class ClientEncodingsHttpTests extends HttpTests {

	private static final String KEY = "John Smith + Söhne/ü%";

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final String PATH = "/v0/entity/{key}";

	private static final String PARAMETER = "/v0/entity?id={key}";

	@ParameterizedTest
	@ValueSource(strings = { PATH, PARAMETER })
	void eachClientReadsTheValuesOfEachOther(String form) throws Exception {
		List<Client> clients = List.of(new Rest(), new Reactive(), new Jdk());
		for (Client writer : clients) {
			assertThat(writer.put(form, writer.toString())).as("%s", writer).isEqualTo(201);
			for (Client reader : clients) {
				assertThat(reader.get(form)).as("%s reads that of %s", reader, writer).isEqualTo(writer.toString());
				assertThat(reader.get(PATH)).isEqualTo(writer.toString());
			}
		}
	}

	/*
	 * A builder without a template leaves a plus as it is, and encoders of forms make one
	 * of a space.
	 */
	@Test
	void ambiguousEncodingsAreRefused() throws IOException {
		String ofForm = "/v0/entity?id=" + URLEncoder.encode(KEY, UTF_8);
		assertProblem(ask("GET", ofForm), 400, "bad-request", "bare '+'");
		String withoutTemplate = UriComponentsBuilder.fromPath("/v0/entity")
			.queryParam("id", KEY)
			.encode()
			.toUriString();
		assertThat(withoutTemplate).contains("%20+%20");
		assertProblem(ask("GET", withoutTemplate), 400, "bad-request", "bare '+'");
	}

	private String base() {
		return "http://localhost:" + this.port;
	}

	private interface Client {

		int put(String form, String value) throws Exception;

		@Nullable String get(String form) throws Exception;

	}

	private final class Rest implements Client {

		private final RestClient client = RestClient.create(base());

		@Override
		public int put(String form, String value) {
			HttpStatusCode status = this.client.put()
				.uri(form, KEY)
				.body(value)
				.retrieve()
				.toBodilessEntity()
				.getStatusCode();
			return status.value();
		}

		@Override
		public @Nullable String get(String form) {
			return this.client.get().uri(form, KEY).retrieve().body(String.class);
		}

		@Override
		public String toString() {
			return "RestClient";
		}

	}

	private final class Reactive implements Client {

		private final WebClient client = WebClient.create(base());

		@Override
		public int put(String form, String value) {
			return requireNonNull(
					this.client.put().uri(form, KEY).bodyValue(value).retrieve().toBodilessEntity().block(LIMIT))
				.getStatusCode()
				.value();
		}

		@Override
		public @Nullable String get(String form) {
			return this.client.get().uri(form, KEY).retrieve().bodyToMono(String.class).block(LIMIT);
		}

		@Override
		public String toString() {
			return "WebClient";
		}

	}

	private final class Jdk implements Client {

		@Override
		public int put(String form, String value) throws Exception {
			return send(HttpRequest.newBuilder(uri(form)).PUT(HttpRequest.BodyPublishers.ofString(value))).statusCode();
		}

		@Override
		public String get(String form) throws Exception {
			return send(HttpRequest.newBuilder(uri(form))).body();
		}

		private URI uri(String form) {
			String encoded = URLEncoder.encode(KEY, UTF_8).replace("+", "%20");
			return URI.create(base() + form.replace("{key}", encoded));
		}

		private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
			try (HttpClient client = HttpClient.newHttpClient()) {
				return client.send(request.timeout(LIMIT).build(), HttpResponse.BodyHandlers.ofString());
			}
		}

		@Override
		public String toString() {
			return "HttpClient";
		}

	}

}
