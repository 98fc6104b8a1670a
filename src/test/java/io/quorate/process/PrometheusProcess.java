package io.quorate.process;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * A Prometheus in a process of its own, with our rules, that asks nodes every second.
 * Gone at the latest when it is closed. Used by one thread.
 */
final class PrometheusProcess implements AutoCloseable {

	/* Set where nothing may be left out: then a missing Prometheus fails the test. */
	private static final String REQUIRED = "REQUIRE_PROMETHEUS";

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private final Process process;

	private final Path log;

	private final Client client;

	private PrometheusProcess(Process process, Path log, Client client) {
		this.process = process;
		this.log = log;
		this.client = client;
	}

	/** Starts one for nodes, whose ports must not change. */
	static PrometheusProcess start(Path home, ClusterProcesses cluster) throws IOException {
		String binary = binary("prometheus");
		String targets = cluster.names().stream().map((name) -> """
				      - targets: ['127.0.0.1:%d']
				        labels: {cluster: quorate, node: %s}
				""".formatted(cluster.node(name).port(), name)).collect(Collectors.joining());
		Files.createDirectories(home);
		Path configuration = Files.writeString(home.resolve("prometheus.yml"), """
				global: {scrape_interval: 1s, evaluation_interval: 1s}
				rule_files: ['%s/*.yml']
				scrape_configs:
				  - job_name: quorate
				    metrics_path: /actuator/prometheus
				    honor_labels: true
				    static_configs:
				%s""".formatted(WatchFiles.RULES, targets));
		int port = FreePorts.first(1);
		Path log = home.resolve("log");
		Process process = new ProcessBuilder(binary, "--config.file=" + configuration,
				"--storage.tsdb.path=" + home.resolve("data"), "--web.listen-address=127.0.0.1:" + port)
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		PrometheusProcess prometheus = new PrometheusProcess(process, log, Client.at(port));
		try {
			await().atMost(LIMIT).until(prometheus::isReady);
		}
		catch (Throwable failure) {
			prometheus.close();
			throw failure;
		}
		return prometheus;
	}

	/**
	 * Where a program of Prometheus is, which has one of these names; without it the test
	 * is not run.
	 */
	static String binary(String... names) {
		List<Path> directories = Stream
			.concat(Stream.ofNullable(System.getProperty("prometheus"))
				.map((path) -> Path.of(path).toAbsolutePath().getParent()),
					Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)).map(Path::of))
			.toList();
		Optional<String> found = directories.stream()
			.flatMap((directory) -> Stream.of(names).map(directory::resolve))
			.filter(Files::isExecutable)
			.map(Path::toString)
			.findFirst();
		String missing = names[0] + " is not on the PATH: apt-get install prometheus prometheus-alertmanager,"
				+ " or -Dprometheus=/where/it/is/prometheus";
		if (System.getenv(REQUIRED) != null) {
			assertThat(found).as(missing).isPresent();
		}
		assumeThat(found).as(missing).isPresent();
		return found.orElseThrow();
	}

	/** Runs {@code promtool} or {@code amtool}, which must be content. */
	static String run(String tool, String... words) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Stream.concat(Stream.of(binary(tool)), Stream.of(words)).toList())
			.redirectErrorStream(true)
			.start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(said).isZero();
		return said;
	}

	private boolean isReady() throws InterruptedException {
		assertThat(this.process.isAlive()).as(() -> WatchFiles.read(this.log)).isTrue();
		return this.client.isReady();
	}

	Client client() {
		return this.client;
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
	}

	/**
	 * Asks a Prometheus, wherever it comes from. It has an HTTP client of its own: the
	 * client for Java and {@link RawHttp} ask nodes, which a Prometheus is not.
	 */
	record Client(HttpClient http, URI uri) {

		static Client at(int port) {
			return new Client(HttpClient.newHttpClient(), URI.create("http://127.0.0.1:" + port));
		}

		boolean isReady() throws InterruptedException {
			try {
				return this.http
					.send(HttpRequest.newBuilder(this.uri.resolve("/-/ready")).build(), BodyHandlers.discarding())
					.statusCode() == 200;
			}
			catch (IOException notYet) {
				return false;
			}
		}

		/** The series of an expression now. */
		List<JsonNode> query(String expression) throws IOException, InterruptedException {
			return series(post("/api/v1/query", "query", expression));
		}

		/**
		 * The series of an expression from an instant until now, a value for each second.
		 */
		List<JsonNode> query(String expression, Instant from) throws IOException, InterruptedException {
			return series(
					post("/api/v1/query_range", "query", expression, "start", Long.toString(from.getEpochSecond()),
							"end", Long.toString(Instant.now().getEpochSecond()), "step", "1"));
		}

		/** What the rules have come to. */
		List<JsonNode> rules() throws IOException, InterruptedException {
			HttpResponse<String> answer = this.http
				.send(HttpRequest.newBuilder(this.uri.resolve("/api/v1/rules")).build(), BodyHandlers.ofString());
			assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
			return JsonMapper.shared()
				.readTree(answer.body())
				.at("/data/groups")
				.valueStream()
				.flatMap((group) -> group.get("rules").valueStream())
				.toList();
		}

		private static List<JsonNode> series(JsonNode answer) {
			return answer.at("/data/result").valueStream().toList();
		}

		private JsonNode post(String path, String... namesAndValues) throws IOException, InterruptedException {
			StringBuilder form = new StringBuilder();
			for (int i = 0; i < namesAndValues.length; i += 2) {
				form.append(form.isEmpty() ? "" : "&")
					.append(namesAndValues[i])
					.append('=')
					.append(URLEncoder.encode(namesAndValues[i + 1], StandardCharsets.UTF_8));
			}
			HttpResponse<String> answer = this.http.send(HttpRequest.newBuilder(this.uri.resolve(path))
				.header("Content-Type", "application/x-www-form-urlencoded")
				.POST(BodyPublishers.ofString(form.toString()))
				.build(), BodyHandlers.ofString());
			assertThat(answer.statusCode()).as("%s: %s", form, answer.body()).isEqualTo(200);
			return JsonMapper.shared().readTree(answer.body());
		}

	}

}
