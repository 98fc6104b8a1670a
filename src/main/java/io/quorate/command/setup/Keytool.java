package io.quorate.command.setup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStore.PasswordProtection;
import java.security.KeyStore.PrivateKeyEntry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import org.jspecify.annotations.Nullable;

/**
 * The {@code keytool} of this Java runtime, with a keystore of its own, whose password
 * exists in this process alone. Used by one thread at a time.
 */
final class Keytool {

	private static final String TYPE = "PKCS12";

	private static final int PASSWORD_BYTES = 16;

	private static final Duration LIMIT = Duration.ofMinutes(2);

	/* Of the environment: arguments are in the list of processes. */
	private static final String PASSWORD_VARIABLE = "QUORATE_KEYSTORE_PASSWORD";

	private final Path store;

	private final String password;

	/** A keystore in a file that is not there yet. */
	Keytool(Path store) {
		byte[] random = new byte[PASSWORD_BYTES];
		new SecureRandom().nextBytes(random);
		this.store = store;
		this.password = HexFormat.of().formatHex(random);
	}

	/**
	 * Makes a key and its certificate.
	 * @param signer the name of the key that signs, {@code null} for the key itself
	 * @param extensions the extensions of the certificate, in the words of
	 * {@code keytool}
	 */
	PrivateKeyEntry generate(String name, @Nullable String signer, int days, String... extensions) throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-J-XX:+UseSerialGC",
				"-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", name, "-dname", "CN=" + name, "-keyalg", "EC",
				"-groupname", "secp256r1", "-sigalg", "SHA256withECDSA", "-validity", Integer.toString(days)));
		// The clock of another machine may be behind.
		command.addAll(List.of("-startdate", "-1H", "-storetype", TYPE, "-keystore", this.store.toString(),
				"-storepass:env", PASSWORD_VARIABLE));
		for (String extension : extensions) {
			command.addAll(List.of("-ext", extension));
		}
		if (signer != null) {
			command.addAll(List.of("-signer", signer));
		}
		run(command);
		return entry(name);
	}

	private void run(List<String> command) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().put(PASSWORD_VARIABLE, this.password);
		// A variable of the user may add an output.
		builder.environment().remove("JDK_JAVA_OPTIONS");
		Path said = this.store.resolveSibling(this.store.getFileName() + ".log");
		Process process = builder.redirectOutput(said.toFile()).start();
		process.getOutputStream().close();
		process.onExit().completeOnTimeout(process, LIMIT.toSeconds(), TimeUnit.SECONDS).join();
		if (process.isAlive()) {
			process.destroyForcibly();
			throw new CommandException(ExitCode.FAILED,
					"keytool has not ended within %d s".formatted(LIMIT.toSeconds()));
		}
		if (process.exitValue() != 0) {
			throw new CommandException(ExitCode.FAILED,
					"keytool has failed: " + Files.readString(said).strip().replaceAll("\\R", " "));
		}
	}

	private PrivateKeyEntry entry(String name) throws IOException {
		try (InputStream from = Files.newInputStream(this.store)) {
			KeyStore keys = KeyStore.getInstance(TYPE);
			keys.load(from, this.password.toCharArray());
			return (PrivateKeyEntry) keys.getEntry(name, new PasswordProtection(this.password.toCharArray()));
		}
		catch (GeneralSecurityException wrong) {
			throw new IOException("keytool has made no key " + name, wrong);
		}
	}

	/** Takes a key and its certificate over. */
	void take(String name, PrivateKeyEntry entry) throws IOException {
		try (OutputStream to = Files.newOutputStream(this.store)) {
			KeyStore keys = KeyStore.getInstance(TYPE);
			keys.load(null, null);
			keys.setEntry(name, entry, new PasswordProtection(this.password.toCharArray()));
			keys.store(to, this.password.toCharArray());
		}
		catch (GeneralSecurityException wrong) {
			throw new IOException(name + " cannot be used: " + wrong.getMessage(), wrong);
		}
	}

}
