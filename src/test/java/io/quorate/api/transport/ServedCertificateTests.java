package io.quorate.api.transport;

import java.nio.ByteBuffer;
import java.nio.file.Path;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.quorate.Authority;
import io.quorate.Authority.Issued;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.web.server.Ssl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/*
 * The keys of a context are native memory. That none is left behind is seen by the search
 * for leaks that ends each class of tests.
 */
class ServedCertificateTests {

	private static Issued first;

	private static Issued second;

	@BeforeAll
	static void issue(@TempDir Path home) throws Exception {
		Authority authority = new Authority(home, "authority");
		first = authority.issue("first", "ip:127.0.0.1");
		second = authority.issue("second", "ip:127.0.0.2");
	}

	private static DefaultSslBundleRegistry bundles() {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();
		bundles.registerBundle("served", first.bundle());
		return bundles;
	}

	private static ServedCertificate served(DefaultSslBundleRegistry bundles) {
		ServedCertificate served = ServedCertificate.of("clients", "server.ssl", Ssl.forBundle("served"), bundles);
		assertThat(served).isNotNull();
		return served;
	}

	private static SSLEngine connection(ServedCertificate served) {
		return served.newEngine(UnpooledByteBufAllocator.DEFAULT);
	}

	/** The name in the certificate that a client is shown. */
	private static String shownBy(SSLEngine server) throws Exception {
		SSLContext trusting = SSLContext.getInstance("TLS");
		trusting.init(null, first.bundle().getManagers().getTrustManagers(), null);
		SSLEngine client = trusting.createSSLEngine();
		client.setUseClientMode(true);
		ByteBuffer toServer = ByteBuffer.allocate(1 << 16);
		ByteBuffer toClient = ByteBuffer.allocate(1 << 16);
		for (int turn = 0; turn < 100 && isShaking(client); turn++) {
			step(client, toServer, toClient);
			step(server, toClient, toServer);
		}
		assertThat(isShaking(client)).isFalse();
		return client.getSession().getPeerPrincipal().getName();
	}

	private static boolean isShaking(SSLEngine engine) {
		return engine.getSession().getProtocol().equals("NONE")
				|| engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING;
	}

	private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
		tasks(engine);
		engine.wrap(ByteBuffer.allocate(0), out);
		in.flip();
		engine.unwrap(in, ByteBuffer.allocate(1 << 16));
		in.compact();
		tasks(engine);
	}

	private static void tasks(SSLEngine engine) {
		for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
			task.run();
		}
	}

	@Test
	void aConnectionKeepsTheCertificateThatItBeganWith() throws Exception {
		DefaultSslBundleRegistry bundles = bundles();
		try (ServedCertificate served = served(bundles)) {
			SSLEngine before = connection(served);
			SSLEngine shaken = connection(served);
			assertThat(shownBy(shaken)).isEqualTo("CN=first");
			bundles.updateBundle("served", second.bundle());
			SSLEngine after = connection(served);
			assertThat(shownBy(after)).isEqualTo("CN=second");
			assertThat(shownBy(before)).isEqualTo("CN=first");
			ReferenceCountUtil.release(before);
			ReferenceCountUtil.release(shaken);
			ReferenceCountUtil.release(after);
		}
	}

	@Test
	void aClosedPortTakesNoConnectionAndNoCertificate() throws Exception {
		DefaultSslBundleRegistry bundles = bundles();
		ServedCertificate served = served(bundles);
		SSLEngine open = connection(served);
		served.close();
		assertThat(shownBy(open)).isEqualTo("CN=first");
		ReferenceCountUtil.release(open);
		bundles.updateBundle("served", second.bundle());
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> connection(served));
	}

}
