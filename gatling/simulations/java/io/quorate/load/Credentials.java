package io.quorate.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.quorate.client.ClientBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What a closed cluster asks for of each request, and the authority by which its
 * certificates are checked while keys are written. Gatling itself accepts every
 * certificate.
 *
 * @param fields fields of the header by their names, for Gatling
 * @param tokenFile file with the token, {@code null} for none
 * @param ca file with certificates of authorities, {@code null} for those of the JDK
 */
record Credentials(Map<String, String> fields, @Nullable Path tokenFile, @Nullable Path ca) {

	Credentials {
		fields = Map.copyOf(fields);
	}

	/**
	 * Reads the file of the token.
	 * @throws UncheckedIOException if it cannot be read
	 */
	static Credentials of(Options options) {
		Path file = options.tokenFile();
		try {
			return new Credentials(
					(file != null) ? Map.of("Authorization", "Bearer " + Files.readString(file).strip()) : Map.of(),
					file, options.ca());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Gives them to the clients that a builder makes. */
	ClientBuilder givenTo(ClientBuilder client) {
		if (this.tokenFile != null) {
			client.tokenFile(this.tokenFile);
		}
		return (this.ca != null) ? client.authority(this.ca) : client;
	}

}
