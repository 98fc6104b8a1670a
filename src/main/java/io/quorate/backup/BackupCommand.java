package io.quorate.backup;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import javax.net.ssl.SSLException;

import io.quorate.clock.TimeSource;
import io.quorate.storage.file.InstantName;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The command {@code backup [--token-file FILE] [--ca FILE] URL...}: has each node take a
 * backup, all at once and under one name, so that the backups of one run belong together
 * and differ from those of another. The name is the present instant, or one after the
 * newest backup that the nodes have. Each URL is the parent of a node's
 * {@code /actuator}. Exits with 0 if every node has taken one, with 1 if some have not,
 * with 2 if the arguments are wrong or a file that they name cannot be used.
 */
public final class BackupCommand {

	private static final String TOKEN_FILE = "--token-file";

	private static final String AUTHORITY = "--ca";

	/* By option, the variable of the environment that stands for it. */
	private static final Map<String, String> VARIABLES = Map.of(TOKEN_FILE, "QUORATE_TOKEN_FILE", AUTHORITY,
			"QUORATE_CA");

	private static final String USAGE = """
			backup [--token-file FILE] [--ca FILE] URL...

			Has all nodes take a backup under one name. Each URL is one node, such as http://127.0.0.1:8080.
			  --token-file FILE   a file with a token whose principal has the right 'admin' (QUORATE_TOKEN_FILE)
			  --ca FILE           the authority of the nodes' certificates, PEM, for https (QUORATE_CA)
			""";

	private static final Duration CONNECT = Duration.ofSeconds(10);

	/* Copies to another disk take their time. */
	private static final Duration PATIENCE = Duration.ofHours(1);

	private static final int OK = 200;

	private static final int UNAUTHENTICATED = 401;

	private static final int FORBIDDEN = 403;

	private final NodeAccess access;

	private final HttpClient client;

	private final PrintStream out;

	private final PrintStream err;

	private BackupCommand(NodeAccess access, HttpClient client, PrintStream out, PrintStream err) {
		this.access = access;
		this.client = client;
		this.out = out;
		this.err = err;
	}

	/** Runs the command. */
	public static int run(List<String> arguments, PrintStream out, PrintStream err) {
		return run(arguments, System.getenv(), out, err);
	}

	static int run(List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
		Map<String, String> options = new HashMap<>();
		VARIABLES.forEach((option, variable) -> options.put(option, environment.getOrDefault(variable, "")));
		List<URI> nodes = new ArrayList<>();
		if (!parse(arguments, options, nodes)) {
			err.print(USAGE);
			return 2;
		}
		options.values().removeIf(String::isEmpty);
		NodeAccess access;
		try {
			access = NodeAccess.of(options.get(TOKEN_FILE), options.get(AUTHORITY));
		}
		catch (IOException failure) {
			err.println("backup: " + failure.getMessage());
			return 2;
		}
		nodes.stream()
			.filter(access::isExposedTo)
			.forEach((node) -> err.println(node + ": warning: the token is sent without encryption, use https"));
		try (HttpClient client = access.client(CONNECT)) {
			return new BackupCommand(access, client, out, err).takeAll(nodes) ? 0 : 1;
		}
	}

	private static boolean parse(List<String> arguments, Map<String, String> options, List<URI> nodes) {
		for (int i = 0; i < arguments.size(); i++) {
			String word = arguments.get(i);
			int equals = word.indexOf('=');
			if (VARIABLES.containsKey(word) && i + 1 < arguments.size()) {
				options.put(word, arguments.get(++i));
			}
			else if (equals > 0 && VARIABLES.containsKey(word.substring(0, equals))) {
				options.put(word.substring(0, equals), word.substring(equals + 1));
			}
			else if (!isNode(word)) {
				return false;
			}
			else {
				nodes.add(URI.create(word));
			}
		}
		return !nodes.isEmpty();
	}

	private static boolean isNode(String word) {
		try {
			URI uri = URI.create(word);
			return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) && uri.getHost() != null;
		}
		catch (IllegalArgumentException noUri) {
			return false;
		}
	}

	private boolean takeAll(List<URI> nodes) {
		String name = InstantName.of(Math.max(TimeSource.SYSTEM.millis(), newestMillis(nodes) + 1));
		this.out.println("name: " + name);
		List<CompletableFuture<Boolean>> all = nodes.stream().map((node) -> take(node, name)).toList();
		return all.stream().filter((taken) -> !taken.join()).count() == 0;
	}

	/* A node that does not list its backups is reported when it is to take one. */
	private long newestMillis(List<URI> nodes) {
		List<CompletableFuture<Long>> all = nodes.stream()
			.map((node) -> this.client
				.sendAsync(this.access.request(node, "/actuator/backup").timeout(CONNECT).build(),
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

	private CompletableFuture<Boolean> take(URI node, String name) {
		HttpRequest request = this.access.request(node, "/actuator/backup")
			.timeout(PATIENCE)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"name\":\"" + name + "\"}"))
			.build();
		return this.client.sendAsync(request, BodyHandlers.ofString()).handle((answer, failure) -> {
			if (failure != null) {
				this.err.printf("%s: %s%n", node, cause(failure));
				return false;
			}
			return said(node, answer);
		});
	}

	private boolean said(URI node, HttpResponse<String> answer) {
		int status = answer.statusCode();
		if (status == OK) {
			this.out.printf("%s: %s%n", node, answer.body());
			return true;
		}
		this.err.printf("%s: %d %s%n", node, status, switch (status) {
			case UNAUTHENTICATED -> this.access.hasToken() ? "the node does not accept the token"
					: "the node asks for a token: " + TOKEN_FILE + " FILE";
			case FORBIDDEN -> "the principal of the token has no right 'admin'";
			default -> answer.body();
		});
		return false;
	}

	private static String cause(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() instanceof IOException io) ? io
				: failure;
		return (cause instanceof SSLException)
				? "no secure connection: " + cause.getMessage() + " (" + AUTHORITY + " names the authority to trust)"
				: cause.toString();
	}

}
