package io.quorate.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.quorate.process.PrometheusProcess.Client;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An Alertmanager in a process of its own, with our routes and inhibitions but hardly any
 * wait, and the server that gets its notifications. Used by one thread.
 */
final class AlertmanagerProcess implements AutoCloseable {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final String GROUP_WAIT = "2s";

	private static final String GROUP_INTERVAL = "1s";

	private final List<Notification> notifications = new CopyOnWriteArrayList<>();

	private final HttpServer receiver;

	private final Process process;

	private final Path log;

	private final Client client;

	private AlertmanagerProcess(Path home, List<String> receivers) throws IOException {
		this.receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		receivers.forEach((name) -> this.receiver.createContext("/" + name, (exchange) -> receive(name, exchange)));
		this.receiver.start();
		int port = FreePorts.first(1);
		this.client = Client.at(port);
		this.log = home.resolve("alertmanager.log");
		this.process = new ProcessBuilder(PrometheusProcess.binary("alertmanager", "prometheus-alertmanager"),
				"--config.file=" + configuration(home), "--storage.path=" + home.resolve("alertmanager"),
				"--web.listen-address=127.0.0.1:" + port, "--cluster.listen-address=")
			.redirectErrorStream(true)
			.redirectOutput(this.log.toFile())
			.start();
	}

	static AlertmanagerProcess start(Path home) throws IOException {
		AlertmanagerProcess alertmanager = new AlertmanagerProcess(home,
				WatchFiles.yaml(WatchFiles.ALERTMANAGER)
					.get("receivers")
					.valueStream()
					.map((receiver) -> receiver.get("name").asString())
					.toList());
		try {
			await().atMost(LIMIT).until(alertmanager::isReady);
		}
		catch (Throwable failure) {
			alertmanager.close();
			throw failure;
		}
		return alertmanager;
	}

	/* JSON is YAML. */
	private Path configuration(Path home) throws IOException {
		ObjectNode configuration = (ObjectNode) WatchFiles.yaml(WatchFiles.ALERTMANAGER);
		ObjectNode route = (ObjectNode) configuration.get("route");
		route.put("group_wait", GROUP_WAIT).put("group_interval", GROUP_INTERVAL);
		route.get("routes").forEach((each) -> ((ObjectNode) each).remove(List.of("group_wait", "group_interval")));
		for (JsonNode each : configuration.get("receivers")) {
			((ObjectNode) each).putArray("webhook_configs")
				.addObject()
				.put("url", "http://127.0.0.1:%d/%s".formatted(this.receiver.getAddress().getPort(),
						each.get("name").asString()));
		}
		return Files.writeString(home.resolve("alertmanager.json"), configuration.toString());
	}

	private void receive(String name, HttpExchange exchange) throws IOException {
		JsonNode body = JsonMapper.shared().readTree(exchange.getRequestBody());
		this.notifications.add(new Notification(name, body));
		exchange.sendResponseHeaders(200, -1);
		exchange.close();
	}

	private boolean isReady() throws InterruptedException {
		assertThat(this.process.isAlive()).as(() -> WatchFiles.read(this.log)).isTrue();
		return this.client.isReady();
	}

	/** Takes alerts as Prometheus sends them: with labels, annotations, begin and end. */
	void post(List<Map<String, Object>> alerts) throws IOException, InterruptedException {
		HttpResponse<String> answer = this.client.http()
			.send(HttpRequest.newBuilder(this.client.uri().resolve("/api/v2/alerts"))
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofString(JsonMapper.shared().writeValueAsString(alerts)))
				.build(), BodyHandlers.ofString());
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
	}

	/** Those that have come so far, in this order. */
	List<Notification> notifications() {
		return this.notifications;
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
		this.receiver.stop(0);
		this.client.http().close();
	}

	/** A call of a receiver. */
	record Notification(String receiver, JsonNode body) {

		String label(String name) {
			return this.body.get("groupLabels").get(name).asString();
		}

		List<JsonNode> alerts() {
			return this.body.get("alerts").valueStream().toList();
		}

		@Override
		public String toString() {
			return this.body.get("status").asString() + " " + label("alertname");
		}

	}

}
