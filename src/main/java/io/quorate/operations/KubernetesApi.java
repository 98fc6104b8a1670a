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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The API server of Kubernetes, which is asked for one thing: the number of pods of a
 * StatefulSet. The right {@code get} of that StatefulSet is enough. Blocks the calling
 * thread.
 */
final class KubernetesApi {

	private static final int OK = 200;

	private static final int MAX_BYTES = 1024 * 1024;

	private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9][-a-z0-9]{0,62}");

	private final URI server;

	private final Path credentials;

	private final Duration limit;

	/**
	 * The API server at an address.
	 * @param credentials directory with the files token, ca.crt and namespace, which
	 * Kubernetes renews
	 * @param limit time within which it answers
	 */
	KubernetesApi(URI server, Path credentials, Duration limit) {
		this.server = server;
		this.credentials = credentials;
		this.limit = limit;
	}

	/** Asks for the number of pods of a StatefulSet in the own namespace. */
	StatefulSetScale scaleOf(String statefulSet) {
		try {
			String namespace = read("namespace");
			if (!NAMESPACE.matcher(namespace).matches()) {
				return new StatefulSetScale.Unknown("the file namespace has no name of a namespace");
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
					: new StatefulSetScale.Unknown("it answers %d".formatted(response.statusCode()));
		}
		catch (ExecutionException failure) {
			return new StatefulSetScale.Unknown(String.valueOf(failure.getCause()));
		}
		catch (TimeoutException silent) {
			return new StatefulSetScale.Unknown("no answer within %d ms".formatted(this.limit.toMillis()));
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
			return new StatefulSetScale.Unknown("interrupted");
		}
		catch (IOException | GeneralSecurityException | JacksonException | IllegalArgumentException failure) {
			return new StatefulSetScale.Unknown(failure.toString());
		}
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
			return new StatefulSetScale.Unknown("the StatefulSet is being deleted");
		}
		JsonNode replicas = statefulSet.at("/spec/replicas");
		JsonNode start = statefulSet.at("/spec/ordinals/start");
		boolean isUnderstood = replicas.isInt() && replicas.intValue() >= 0 && (start.isMissingNode() || start.isInt());
		return isUnderstood
				? new StatefulSetScale.Known(start.isMissingNode() ? 0 : start.intValue(), replicas.intValue())
				: new StatefulSetScale.Unknown("its answer has no spec.replicas");
	}

}
