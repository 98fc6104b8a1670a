package io.quorate.command;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/**
 * The access of a command to nodes: the token that it sends, and the authority whose
 * certificates it trusts. Each comes from a file. No message and no text of this class
 * has the token.
 */
final class NodeAccess {

	/* RFC 6750: the JDK prints a header that it refuses, so no such one comes to it. */
	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

	private static final String LOCALHOST = "localhost";

	private final @Nullable String token;

	private final @Nullable SSLContext trust;

	private NodeAccess(@Nullable String token, @Nullable SSLContext trust) {
		this.token = token;
		this.trust = trust;
	}

	/**
	 * Reads the files that are given; without an authority that of the JDK decides.
	 * @throws IOException if a file cannot be read or has something else, with a text for
	 * the user
	 */
	static NodeAccess of(@Nullable String tokenFile, @Nullable String authorityFile) throws IOException {
		return new NodeAccess((tokenFile != null) ? token(tokenFile) : null,
				(authorityFile != null) ? trust(authorityFile) : null);
	}

	private static String token(String file) throws IOException {
		String text;
		try {
			text = Files.readString(Path.of(file), StandardCharsets.ISO_8859_1).strip();
		}
		catch (InvalidPathException wrong) {
			throw new IOException("the token file '" + file + "' is no path", wrong);
		}
		catch (IOException failure) {
			throw new IOException("the token file cannot be read: " + FileFailure.reason(failure), failure);
		}
		if (!TOKEN.matcher(text).matches()) {
			throw new IOException("the token file " + file + " must have one token and nothing else");
		}
		return text;
	}

	private static SSLContext trust(String file) throws IOException {
		try (InputStream from = Files.newInputStream(Path.of(file))) {
			Collection<? extends Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(from);
			if (all.isEmpty()) {
				throw new GeneralSecurityException("it has no certificate");
			}
			KeyStore store = KeyStore.getInstance("PKCS12");
			store.load(null, null);
			for (Certificate each : all) {
				store.setCertificateEntry("authority-" + store.size(), each);
			}
			TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			managers.init(store);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, managers.getTrustManagers(), null);
			return context;
		}
		catch (GeneralSecurityException failure) {
			throw new IOException("the authority " + file + " cannot be used: " + failure.getMessage(), failure);
		}
		catch (InvalidPathException wrong) {
			throw new IOException("the authority '" + file + "' is no path", wrong);
		}
		catch (IOException failure) {
			throw new IOException("the authority cannot be read: " + FileFailure.reason(failure), failure);
		}
	}

	boolean hasToken() {
		return this.token != null;
	}

	/** Whether a token to this place could be read on the way. */
	boolean isExposedTo(URI node) {
		return hasToken() && "http".equals(node.getScheme()) && !isLoopback(node.getHost());
	}

	/* Asks no name server: an answer of it proves nothing about the way of the token. */
	private static boolean isLoopback(String host) {
		try {
			return host.equalsIgnoreCase(LOCALHOST) || InetAddress.ofLiteral(host).isLoopbackAddress();
		}
		catch (IllegalArgumentException name) {
			return false;
		}
	}

	/**
	 * A client of nodes. It checks names of hosts, too, and follows no redirect with the
	 * token.
	 */
	HttpClient client(Duration connect, List<URI> nodes) {
		HttpClient.Builder builder = HttpClient.newBuilder().version(Version.HTTP_1_1).connectTimeout(connect);
		if (this.trust != null) {
			builder.sslContext(this.trust);
		}
		else if (nodes.stream().allMatch((node) -> "http".equals(node.getScheme()))) {
			builder.sslContext(none());
		}
		return builder.build();
	}

	/* The JDK reads all authorities of the world for a client, also without TLS. */
	private static SSLContext none() {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(new KeyManager[0], new TrustManager[0], null);
			return context;
		}
		catch (GeneralSecurityException failure) {
			throw new IllegalStateException("the JDK has no TLS", failure);
		}
	}

	/** A request to a path below a node's URL, with the token if there is one. */
	HttpRequest.Builder request(URI node, String path) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node + path));
		return (this.token != null) ? request.header("Authorization", "Bearer " + this.token) : request;
	}

}
