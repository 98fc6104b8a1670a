package io.quorate.backup;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.quorate.clock.TimeSource;
import io.quorate.storage.file.InstantName;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The command {@code backup URL...}: has each node take a backup, all at once and under
 * one name, so that the backups of one run belong together and differ from those of
 * another. The name is the present instant, or one after the newest backup that the nodes
 * have. Each URL is the parent of a node's {@code /actuator}. Exits with 0 if every node
 * has taken one, with 1 if some have not, with 2 if the arguments are wrong.
 */
public final class BackupCommand {

	private static final Duration CONNECT = Duration.ofSeconds(10);

	/* Copies to another disk take their time. */
	private static final Duration PATIENCE = Duration.ofHours(1);

	private static final int OK = 200;

	private BackupCommand() {
	}

	/** Runs the command. */
	public static int run(List<String> arguments, PrintStream out, PrintStream err) {
		if (arguments.isEmpty() || arguments.stream().anyMatch((url) -> !url.startsWith("http"))) {
			err.println("backup URL...   such as backup http://127.0.0.1:8080 http://127.0.0.1:8081");
			return 2;
		}
		try (HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).connectTimeout(CONNECT).build()) {
			String name = InstantName.of(Math.max(TimeSource.SYSTEM.millis(), newestMillis(client, arguments) + 1));
			out.println("name: " + name);
			List<CompletableFuture<Boolean>> all = arguments.stream()
				.map((url) -> take(client, url, name, out, err))
				.toList();
			return all.stream().filter((taken) -> !taken.join()).count() > 0 ? 1 : 0;
		}
	}

	/* A node that does not list its backups is reported when it is to take one. */
	private static long newestMillis(HttpClient client, List<String> urls) {
		List<CompletableFuture<Long>> all = urls.stream()
			.map((url) -> client
				.sendAsync(HttpRequest.newBuilder(URI.create(url + "/actuator/backup")).timeout(CONNECT).build(),
						BodyHandlers.ofString())
				.handle((answer, failure) -> (failure == null && answer.statusCode() == OK)
						? newestMillis(answer.body()) : 0L))
			.toList();
		return all.stream().mapToLong(CompletableFuture::join).max().orElse(0);
	}

	private static long newestMillis(String listed) {
		try {
			return JsonMapper.shared()
				.readTree(listed)
				.path("backups")
				.valueStream()
				.mapToLong((backup) -> InstantName.millisOf(backup.path("name").asString("")).orElse(0))
				.max()
				.orElse(0);
		}
		catch (JacksonException noList) {
			return 0;
		}
	}

	private static CompletableFuture<Boolean> take(HttpClient client, String url, String name, PrintStream out,
			PrintStream err) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/actuator/backup"))
			.timeout(PATIENCE)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"name\":\"" + name + "\"}"))
			.build();
		return client.sendAsync(request, BodyHandlers.ofString()).handle((answer, failure) -> {
			if (failure != null) {
				err.printf("%s: %s%n", url, cause(failure));
				return false;
			}
			return said(url, answer, out, err);
		});
	}

	private static boolean said(String url, HttpResponse<String> answer, PrintStream out, PrintStream err) {
		boolean taken = answer.statusCode() == OK;
		(taken ? out : err).printf("%s: %s%s%n", url, taken ? "" : answer.statusCode() + " ", answer.body());
		return taken;
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() instanceof IOException cause) ? cause
				: failure;
	}

}
