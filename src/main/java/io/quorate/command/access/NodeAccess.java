package io.quorate.command.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

import io.quorate.client.ClientBuilder;
import io.quorate.client.OperatorClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.TokenException;
import io.quorate.command.terminal.FileFailure;
import org.jspecify.annotations.Nullable;

/**
 * The access of a command to nodes: the token that it sends, and the authority whose
 * certificates it trusts. Each comes from a file. No message and no text of this class
 * has the token.
 */
public final class NodeAccess {

	private final ClientBuilder builder = QuorateClient.builder();

	private final boolean hasToken;

	private final boolean hasAuthority;

	private NodeAccess(@Nullable String tokenFile, @Nullable String authorityFile) throws IOException {
		this.hasToken = tokenFile != null;
		this.hasAuthority = authorityFile != null;
		if (tokenFile != null) {
			readToken(tokenFile);
		}
		if (authorityFile != null) {
			readAuthority(authorityFile);
		}
	}

	/**
	 * Reads the files that are given; without an authority that of the JDK decides.
	 * @throws IOException if a file cannot be read or has something else, with a text for
	 * the user
	 */
	public static NodeAccess of(@Nullable String tokenFile, @Nullable String authorityFile) throws IOException {
		return new NodeAccess(tokenFile, authorityFile);
	}

	private void readToken(String file) throws IOException {
		try {
			this.builder.token(Files.readString(Path.of(file), StandardCharsets.ISO_8859_1).strip());
		}
		catch (TokenException wrong) {
			throw new IOException("the token file " + file + " must have one token and nothing else", wrong);
		}
		catch (InvalidPathException wrong) {
			throw new IOException("the token file '" + file + "' is no path", wrong);
		}
		catch (IOException failure) {
			throw new IOException("the token file cannot be read: " + FileFailure.reason(failure), failure);
		}
	}

	private void readAuthority(String file) throws IOException {
		try {
			this.builder.authority(Path.of(file));
		}
		catch (InvalidPathException wrong) {
			throw new IOException("the authority '" + file + "' is no path", wrong);
		}
		catch (IllegalArgumentException unusable) {
			Throwable cause = unusable.getCause();
			throw new IOException("the authority " + file + " cannot be used: "
					+ ((cause != null) ? cause.getMessage() : "it has no certificate"), unusable);
		}
		catch (UncheckedIOException failure) {
			throw new IOException(
					"the authority cannot be read: " + FileFailure.reason(Objects.requireNonNull(failure.getCause())),
					failure);
		}
	}

	boolean hasToken() {
		return this.hasToken;
	}

	/** Whether a token to this place could be read on the way. */
	boolean isExposedTo(URI node) {
		return hasToken() && OperatorClient.isTokenExposedTo(node);
	}

	/** A builder of a client of nodes. There is one client at a time. */
	ClientBuilder client(List<URI> nodes) {
		if (!this.hasAuthority && nodes.stream().allMatch((node) -> "http".equals(node.getScheme()))) {
			this.builder.sslContext(none());
		}
		return this.builder.endpoints(nodes.stream().map(URI::toString).toList());
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

}
