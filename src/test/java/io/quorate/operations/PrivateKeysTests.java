package io.quorate.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import ch.qos.logback.classic.Level;
import io.quorate.security.SecretFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.ssl.JksSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class PrivateKeysTests {

	private final SslProperties ssl = new SslProperties();

	@TempDir
	private Path home;

	private Path file(String name, String permissions) throws IOException {
		Path file = Files.writeString(this.home.resolve(name), "a key");
		return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
	}

	private void pem(String bundle, String key) {
		PemSslBundleProperties properties = new PemSslBundleProperties();
		properties.getKeystore().setPrivateKey(key);
		this.ssl.getBundle().getPem().put(bundle, properties);
	}

	@Test
	void aKeyThatAllCanReadIsNamed(CapturedOutput output) throws IOException {
		Path plain = file("plain.key", "rw-r--r--");
		Path url = file("url.key", "rw----r--");
		Path store = file("store.p12", "rw-r--r--");
		pem("plain", plain.toString());
		pem("url", "file:" + url);
		JksSslBundleProperties keystore = new JksSslBundleProperties();
		keystore.getKeystore().setLocation(store.toString());
		this.ssl.getBundle().getJks().put("store", keystore);
		PrivateKeys.warnOfReaders(this.ssl);
		for (Path each : new Path[] { plain, url, store }) {
			assertThat(output).contains("The private key " + each + " can be read by every user");
		}
	}

	@Test
	void otherKeysAreNot(CapturedOutput output) throws IOException {
		pem("own", file("own.key", "rw-r-----").toString());
		pem("inline", "-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----");
		pem("commented", "Bag Attributes\n-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----");
		pem("encoded", "base64:TUM0PQ==");
		pem("mistaken", "MC4CAQAwBQYDK2VwBCIEIA==");
		pem("packed", "classpath:some.key");
		pem("absent", this.home.resolve("absent").toString());
		this.ssl.getBundle().getPem().put("trust", new PemSslBundleProperties());
		ch.qos.logback.classic.Logger logger = (ch.qos.logback.classic.Logger) LoggerFactory
			.getLogger(SecretFiles.class);
		logger.setLevel(Level.DEBUG);
		try {
			PrivateKeys.warnOfReaders(this.ssl);
		}
		finally {
			logger.setLevel(null);
		}
		assertThat(output).contains("are not known: NoSuchFileException")
			.doesNotContain("can be read by every user", "MC4", "TUM0");
	}

}
