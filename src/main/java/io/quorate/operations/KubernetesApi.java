package io.quorate.operations;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.quorate.clock.Deadline;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The API server of Kubernetes, which is asked for one thing: the number of pods of a
 * StatefulSet. The right {@code get} of that StatefulSet is enough. Asks again for a
 * while when it gets no answer. Blocks the calling thread.
 */
final class KubernetesApi {

	private static final int OK = 200;

	/* The role does not permit it; there is no such StatefulSet. */
	private static final Set<Integer> REFUSALS = Set.of(403, 404);

	private static final int MAX_BYTES = 1024 * 1024;

	private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9][-a-z0-9]{0,62}");

	private final URI server;

	private final Path credentials;

	private final Duration limit;

	private final Duration patience;

	private final Duration pause;

	/**
	 * The API server at an address.
	 * @param credentials directory with the files token, ca.crt and namespace, which
	 * Kubernetes renews
	 * @param limit time within which it answers one question
	 * @param patience time after which no further question begins
	 * @param pause time between a question without an answer and the next
	 */
	KubernetesApi(URI server, Path credentials, Duration limit, Duration patience, Duration pause) {
		this.server = server;
		this.credentials = credentials;
		this.limit = limit;
		this.patience = patience;
		this.pause = pause;
	}

	/** Asks for the number of pods of a StatefulSet in the own namespace. */
	StatefulSetScale scaleOf(String statefulSet) {
		Deadline end = Deadline.after(this.patience);
		StatefulSetScale scale = askedOnce(statefulSet);
		while (scale instanceof StatefulSetScale.Unknown unknown && !unknown.isLasting()
				&& end.remainingNanos() > this.pause.toNanos()) {
			LockSupport.parkNanos(this.pause.toNanos());
			scale = askedOnce(statefulSet);
		}
		return scale;
	}

	private StatefulSetScale askedOnce(String statefulSet) {
		try {
			String namespace = read("namespace");
			if (!NAMESPACE.matcher(namespace).matches()) {
				return unknown("the file namespace has no name of a namespace");
			}
			HttpRequest request = HttpRequest
				.newBuilder(this.server
					.resolve("/apis/apps/v1/namespaces/%s/statefulsets/%s".formatted(namespace, statefulSet)))
				.timeout(this.limit)
				.header("Authorization", "Bearer " + read("token"))
				.header("Accept", "application/json")
				.build();
			HttpResponse<byte[]> response = answer(request);
			return (response.statusCode() == OK) ? scale(JsonMapper.shared().readTree(response.body()))
					: new StatefulSetScale.Unknown("it answers %d".formatted(response.statusCode()),
							REFUSALS.contains(response.statusCode()));
		}
		catch (ExecutionException failure) {
			return unknown(String.valueOf(failure.getCause()));
		}
		catch (TimeoutException silent) {
			return unknown("no answer within %d ms".formatted(this.limit.toMillis()));
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
			return new StatefulSetScale.Unknown("interrupted", true);
		}
		catch (IOException | GeneralSecurityException | JacksonException | IllegalArgumentException failure) {
			return unknown(failure.toString());
		}
	}

	private static StatefulSetScale unknown(String why) {
		return new StatefulSetScale.Unknown(why, false);
	}

	private HttpResponse<byte[]> answer(HttpRequest request)
			throws IOException, GeneralSecurityException, ExecutionException, TimeoutException, InterruptedException {
		HttpClient.Builder builder = HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.followRedirects(HttpClient.Redirect.NEVER)
			.connectTimeout(this.limit);
		if ("https".equals(this.server.getScheme())) {
			builder.sslContext(trusting());
		}
		HttpClient client = builder.build();
		try {
			return client
				.sendAsync(request,
						HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), MAX_BYTES))
				.get(this.limit.toMillis(), TimeUnit.MILLISECONDS);
		}
		finally {
			client.shutdownNow();
		}
	}

	/* The authority of the cluster alone: not those of the Java runtime. */
	private SSLContext trusting() throws IOException, GeneralSecurityException {
		KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
		authorities.load(null, null);
		try (InputStream in = Files.newInputStream(this.credentials.resolve("ca.crt"))) {
			int number = 0;
			for (Certificate authority : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
				authorities.setCertificateEntry("authority-" + number, authority);
				number++;
			}
		}
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(authorities);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		return context;
	}

	private String read(String file) throws IOException {
		return Files.readString(this.credentials.resolve(file)).strip();
	}

	private static StatefulSetScale scale(JsonNode statefulSet) {
		if (!statefulSet.at("/metadata/deletionTimestamp").isMissingNode()) {
			return new StatefulSetScale.Unknown("the StatefulSet is being deleted", true);
		}
		JsonNode replicas = statefulSet.at("/spec/replicas");
		JsonNode start = statefulSet.at("/spec/ordinals/start");
		boolean isUnderstood = replicas.isInt() && replicas.intValue() >= 0 && (start.isMissingNode() || start.isInt());
		return isUnderstood
				? new StatefulSetScale.Known(start.isMissingNode() ? 0 : start.intValue(), replicas.intValue())
				: unknown("its answer has no spec.replicas");
	}

}
