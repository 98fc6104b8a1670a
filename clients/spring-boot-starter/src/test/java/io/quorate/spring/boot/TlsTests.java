package io.quorate.spring.boot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.quorate.client.NoNodeAnsweredException;
import io.quorate.client.QuorateClient;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** HTTPS with a bundle of certificates. */
@ExtendWith(OutputCaptureExtension.class)
class TlsTests extends NodeTests {

	@TempDir
	private static Path directory;

	private static Path store = Path.of("");

	@BeforeAll
	static void makeCertificate() throws IOException, InterruptedException {
		store = directory.resolve("node.p12");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-keyalg", "EC", "-alias", "node", "-dname", "CN=node", "-ext", "san=dns:localhost",
				"-ext", "bc:c", "-validity", "2", "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass",
				"changeit")
			.redirectErrorStream(true)
			.start();
		byte[] output = process.getInputStream().readAllBytes();
		assertThat(process.waitFor(60 * SLOWNESS, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(new String(output, StandardCharsets.UTF_8)).isZero();
	}

	private static SslBundle ofServer() {
		SslStoreBundle stores = new JksSslStoreBundle(
				new JksSslStoreDetails("PKCS12", null, store.toString(), "changeit"), null);
		return SslBundle.of(stores);
	}

	@Test
	void bundleOfThePropertiesIsTrusted() {
		TestNode node = opened(new TestNode(ofServer()));
		contexts()
			.withPropertyValues(endpoints(node.url()), "quorate.client.ssl.bundle=nodes",
					"spring.ssl.bundle.jks.nodes.truststore.location=" + store.toUri(),
					"spring.ssl.bundle.jks.nodes.truststore.password=changeit",
					"spring.ssl.bundle.jks.nodes.truststore.type=PKCS12")
			.run((context) -> assertThat(context.getBean(QuorateClient.class).get("k")).isPresent());
	}

	@Test
	void withoutTheBundleTheNodeIsNotTrusted() {
		TestNode node = opened(new TestNode(ofServer()));
		contexts().withPropertyValues(endpoints(node.url()))
			.run((context) -> assertThatExceptionOfType(NoNodeAnsweredException.class)
				.isThrownBy(() -> context.getBean(QuorateClient.class).get("k")));
	}

	@Test
	void bundleIsThatOfTheImportToo(CapturedOutput output) {
		TestNode node = opened(new TestNode(ofServer()));
		node.answer(TestNode.FORBIDDEN);
		assertThatException()
			.isThrownBy(() -> new SpringApplicationBuilder(NodeTests.Application.class).web(WebApplicationType.NONE)
				.run("--spring.config.import=quorate:config/shop", "--" + endpoints(node.url()),
						"--quorate.client.ssl.bundle=nodes",
						"--spring.ssl.bundle.jks.nodes.truststore.location=" + store.toUri(),
						"--spring.ssl.bundle.jks.nodes.truststore.password=changeit",
						"--spring.ssl.bundle.jks.nodes.truststore.type=PKCS12"));
		assertThat(output).contains("The configuration quorate:config/shop/ was not read: ").contains("403");
		assertThatException()
			.isThrownBy(() -> new SpringApplicationBuilder(NodeTests.Application.class).web(WebApplicationType.NONE)
				.run("--spring.config.import=quorate:config/shop", "--quorate.client.ssl.bundle=absent"));
		assertThat(output).contains("there is no SSL bundle of the name absent");
	}

}
