package io.quorate.spring.boot.cluster;

import java.io.File;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Two processes of the example application, which have one state. */
class ExampleTests extends Stores {

	private static final Pattern PORT = Pattern.compile("Netty started on port (\\d+)");

	@TempDir
	private static Path directory;

	private static final List<Process> processes = new ArrayList<>();

	private static final List<String> urls = new ArrayList<>();

	private final HttpClient browser = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

	@BeforeAll
	static void startExample() throws IOException, InterruptedException {
		Path example = Cluster.home().resolve("examples/spring/src/main");
		List<String> arguments = new ArrayList<>(List.of("-proc:none", "-parameters", "-encoding", "UTF-8", "-d",
				directory.toString(), "-cp", System.getProperty("java.class.path")));
		try (Stream<Path> sources = Files.list(example.resolve("java/example"))) {
			sources.forEach((source) -> arguments.add(source.toString()));
		}
		assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
			.isZero();
		for (int i = 0; i < 2; i++) {
			start(example.resolve("resources"), directory.resolve("shop" + i + ".log"));
		}
	}

	private static void start(Path resources, Path log) throws IOException, InterruptedException {
		ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp",
				String.join(File.pathSeparator, directory.toString(), resources.toString(),
						System.getProperty("java.class.path")),
				"example.Shop", "--server.port=0")
			.redirectErrorStream(true)
			.redirectOutput(log.toFile());
		// The class path of the tests has more than that of the example.
		builder.environment()
			.putAll(Map.of("QUORATE_CLIENT_ENDPOINTS", String.join(",", Cluster.get().urls()),
					"SPRING_DOCKER_COMPOSE_ENABLED", "false", "QUORATE_CLIENT_NODE_TIMEOUT", Cluster.NODE_SECONDS + "s",
					"QUORATE_CLIENT_CACHE_TIMEOUT", 20 * Cluster.SLOWNESS + "s"));
		Process process = builder.start();
		processes.add(process);
		Cluster.await(() -> {
			assertThat(process.isAlive()).as(Cluster.text(log)).isTrue();
			return PORT.matcher(Cluster.text(log)).find();
		});
		Matcher port = PORT.matcher(Cluster.text(log));
		assertThat(port.find()).isTrue();
		urls.add("http://localhost:" + port.group(1));
	}

	@AfterAll
	static void stopExample() throws InterruptedException {
		processes.forEach(Process::destroy);
		for (Process process : processes) {
			assertThat(process.waitFor(100 * Cluster.SLOWNESS, TimeUnit.SECONDS)).isTrue();
		}
	}

	private String ask(int process, String method, String path) {
		try {
			HttpResponse<String> answer = this.browser.send(HttpRequest.newBuilder(URI.create(urls.get(process) + path))
				.method(method, HttpRequest.BodyPublishers.noBody())
				.build(), HttpResponse.BodyHandlers.ofString());
			assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
			return answer.body();
		}
		catch (IOException | InterruptedException failure) {
			throw new IllegalStateException(failure);
		}
	}

	@Test
	void priceIsComputedByOneProcessUntilItChanges() throws InterruptedException {
		String price = ask(0, "GET", "/price/apple");
		assertThat(price).contains("\"cents\":50", "\"process\":" + processes.get(0).pid());
		assertThat(ask(1, "GET", "/price/apple")).isEqualTo(price);
		assertThat(client().get("cache/prices/apple").orElseThrow().text()).isEqualTo(price);
		ask(1, "POST", "/price/apple");
		Cluster.await(() -> client().head("cache/prices/apple").isEmpty());
		assertThat(ask(1, "GET", "/price/apple")).contains("\"process\":" + processes.get(1).pid());
	}

	@Test
	void sessionIsThatOfBothProcesses() {
		assertThat(ask(0, "POST", "/cart/apple")).isEqualTo("[\"apple\"]");
		assertThat(ask(1, "POST", "/cart/plum")).isEqualTo("[\"apple\",\"plum\"]");
		assertThat(ask(0, "GET", "/cart")).isEqualTo("[\"apple\",\"plum\"]");
	}

	@Test
	void bothProcessesCount() {
		assertThat(ask(0, "POST", "/stock/pear")).isEqualTo("1");
		assertThat(ask(1, "POST", "/stock/pear")).isEqualTo("2");
	}

	@Test
	void bothProcessesFollowTheConfiguration() throws InterruptedException {
		assertThat(ask(0, "GET", "/discount")).isEqualTo("0");
		client().put("config/shop/shop/discount", "20");
		for (int i = 0; i < 2; i++) {
			int process = i;
			Cluster.await(() -> ask(process, "GET", "/discount").equals("20"));
			Path log = directory.resolve("shop" + i + ".log");
			Cluster.await(() -> Cluster.text(log).contains("changed: [shop.discount], the discount is 20"));
		}
	}

	@Test
	void deliveriesOfBothProcessesAreInOrder() {
		Map<Long, String> tokens = new TreeMap<>();
		Stream.of(0, 1, 0, 1, 1, 0).parallel().map((process) -> ask(process, "POST", "/delivery")).forEach((answer) -> {
			synchronized (tokens) {
				tokens.put(Long.parseLong(answer.substring(0, answer.indexOf(' '))),
						answer.substring(answer.indexOf(' ')));
			}
		});
		assertThat(tokens.keySet()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
		assertThat(new ArrayList<>(tokens.values())).isSorted();
	}

}
