package io.quorate.security.jwt;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file with the keys of an issuer.
 *
 * @param path its path
 */
record KeyFile(Path path) implements KeySource {

	/* A pipe would keep the thread for ever. */
	@Override
	public byte[] content() throws IOException {
		if (Files.exists(this.path) && !Files.isRegularFile(this.path)) {
			throw new IOException("it is no regular file");
		}
		try (InputStream in = Files.newInputStream(this.path)) {
			return in.readNBytes(IssuerKeys.MAX_BYTES + 1);
		}
	}

	@Override
	public String name() {
		return this.path.toString();
	}

}
