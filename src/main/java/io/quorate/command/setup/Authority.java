package io.quorate.command.setup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore.PrivateKeyEntry;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.command.terminal.CommandException;
import io.quorate.command.terminal.ExitCode;
import io.quorate.command.terminal.FileFailure;

/**
 * An authority that signs certificates, and lies in two PEM files. Used by one thread at
 * a time.
 */
final class Authority {

	private static final int DAYS = 3650;

	private static final int LINE = 64;

	private static final Pattern KEY = Pattern.compile("(?s)-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----");

	/** Every authority of a cluster, with the certificate of each node that it signs. */
	enum Kind {

		/** The one that nodes trust between each other. */
		NODES("nodes-ca", "node", "serverAuth,clientAuth", ""),

		/** The one that clients trust. A server is also reached on its own machine. */
		CLIENTS("clients-ca", "server", "serverAuth", ",dns:localhost");

		private final String authority;

		private final String file;

		private final String uses;

		private final String moreNames;

		Kind(String authority, String file, String uses, String moreNames) {
			this.authority = authority;
			this.file = file;
			this.uses = uses;
			this.moreNames = moreNames;
		}

		/** The name of its files, without their endings. */
		String authority() {
			return this.authority;
		}

	}

	private final Kind kind;

	private final Keytool keytool;

	private final PrivateKeyEntry own;

	private Authority(Kind kind, Keytool keytool, PrivateKeyEntry own) {
		this.kind = kind;
		this.keytool = keytool;
		this.own = own;
	}

	/**
	 * A new authority.
	 * @param work a directory for files that are needed meanwhile
	 */
	static Authority create(Kind kind, Path work) throws IOException {
		Keytool keytool = keytool(kind, work);
		return new Authority(kind, keytool, keytool.generate(kind.authority, null, DAYS,
				"bc:critical=ca:true,pathlen:0", "ku:critical=keyCertSign,cRLSign"));
	}

	/**
	 * The authority that lies in a directory.
	 * @param work a directory for files that are needed meanwhile
	 * @throws CommandException when the directory has no such authority
	 */
	static Authority read(Kind kind, Path directory, Path work) throws IOException {
		Path file = directory.resolve(kind.authority + ".crt");
		try (InputStream from = Files.newInputStream(file)) {
			Certificate certificate = CertificateFactory.getInstance("X.509").generateCertificate(from);
			PrivateKeyEntry own = new PrivateKeyEntry(key(directory.resolve(kind.authority + ".key"), certificate),
					new Certificate[] { certificate });
			Keytool keytool = keytool(kind, work);
			keytool.take(kind.authority, own);
			return new Authority(kind, keytool, own);
		}
		catch (GeneralSecurityException | IOException | IllegalArgumentException wrong) {
			throw new CommandException(ExitCode.MISUSED,
					"the authority " + file + " cannot be used: " + FileFailure.reason(wrong), wrong);
		}
	}

	private static Keytool keytool(Kind kind, Path work) {
		return new Keytool(work.resolve(kind.authority + ".p12"));
	}

	private static PrivateKey key(Path file, Certificate certificate) throws IOException, GeneralSecurityException {
		Matcher key = KEY.matcher(Files.readString(file));
		if (!key.find()) {
			throw new IOException(file + " has no PRIVATE KEY");
		}
		return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
			.generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(1))));
	}

	/**
	 * Makes the certificate of a node, with its key, and writes both beside that of the
	 * authority.
	 * @param days the time for which it is valid
	 */
	void issue(ClusterNode node, int days, NewDirectory files) throws IOException {
		PrivateKeyEntry issued = this.keytool.generate(node.id(), this.kind.authority, days,
				"san=" + node.alternativeName() + this.kind.moreNames, "eku=" + this.kind.uses,
				"ku:critical=digitalSignature");
		try {
			issued.getCertificate().verify(this.own.getCertificate().getPublicKey());
		}
		catch (GeneralSecurityException wrong) {
			throw new CommandException(ExitCode.MISUSED,
					"%1$s.key and %1$s.crt do not belong together".formatted(this.kind.authority), wrong);
		}
		write(files, this.kind.file, issued);
		files.write(this.kind.authority + ".crt", certificate(this.own));
	}

	/** Writes the authority itself, with its key. */
	void write(NewDirectory files) throws IOException {
		write(files, this.kind.authority, this.own);
	}

	private static void write(NewDirectory files, String file, PrivateKeyEntry entry) throws IOException {
		files.write(file + ".crt", certificate(entry));
		files.write(file + ".key", pem("PRIVATE KEY", entry.getPrivateKey().getEncoded()));
	}

	private static String certificate(PrivateKeyEntry entry) throws IOException {
		try {
			return pem("CERTIFICATE", entry.getCertificate().getEncoded());
		}
		catch (GeneralSecurityException impossible) {
			throw new IOException("a certificate has no encoded form", impossible);
		}
	}

	private static String pem(String kind, byte[] der) {
		return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind,
				Base64.getMimeEncoder(LINE, new byte[] { '\n' }).encodeToString(der));
	}

}
