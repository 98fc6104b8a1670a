package io.quorate.security.jwt;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/**
 * An address, by HTTPS, of the keys of an issuer. A client of its own for each reading
 * trusts the authorities of that moment. Redirects are not followed.
 *
 * @param address its address
 * @param trust the authorities that are trusted now
 * @param deadline most time for a reading
 */
record KeyAddress(URI address, Supplier<SSLContext> trust, Duration deadline) implements KeySource {

	private static final int OK = 200;

	@Override
	public byte[] content() throws IOException, InterruptedException {
		HttpClient client = HttpClient.newBuilder().sslContext(this.trust.get()).connectTimeout(this.deadline).build();
		try {
			return content(client.sendAsync(HttpRequest.newBuilder(this.address).timeout(this.deadline).build(),
					BodyHandlers.limiting(BodyHandlers.ofByteArray(), IssuerKeys.MAX_BYTES)));
		}
		finally {
			client.shutdownNow();
		}
	}

	private byte[] content(CompletableFuture<HttpResponse<byte[]>> answer) throws IOException, InterruptedException {
		try {
			HttpResponse<byte[]> response = answer.get(this.deadline.toNanos(), TimeUnit.NANOSECONDS);
			if (response.statusCode() != OK) {
				throw new IOException("the answer has status %d".formatted(response.statusCode()));
			}
			return response.body();
		}
		catch (TimeoutException slow) {
			throw new IOException("no complete answer came within %d s".formatted(this.deadline.toSeconds()), slow);
		}
		catch (ExecutionException failed) {
			throw new IOException(String.valueOf(failed.getCause()), failed);
		}
	}

	@Override
	public String name() {
		return this.address.toString();
	}

}
