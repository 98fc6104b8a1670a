package io.quorate.internode.tls;

import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.quorate.Authority;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Two connections, one right after the other. */
class RenewableSslContextTests {

	private static KeyManagerFactory keys;

	private final AtomicInteger checksOfServers = new AtomicInteger();

	private final AtomicInteger checksOfClients = new AtomicInteger();

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		keys = new Authority(directory, "authority").issue("node", "ip:127.0.0.1")
			.bundle()
			.getManagers()
			.getKeyManagerFactory();
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.3", "TLSv1.2" })
	void bothSidesShowTheirCertificatesEachTime(String protocol) throws Exception {
		SslContext server = new RenewableSslContext(server(protocol));
		SslContext client = new RenewableSslContext(client(protocol));
		connect(client, server);
		connect(client, server);
		assertThat(this.checksOfServers).hasValue(2);
		assertThat(this.checksOfClients).hasValue(2);
	}

	/* Otherwise the test above would show nothing. */
	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.3", "TLSv1.2" })
	void inContextsThatAreSharedTheyDoNot(String protocol) throws Exception {
		SslContext server = server(protocol).sessionTimeout(60).build();
		SslContext client = client(protocol).sessionTimeout(60).build();
		connect(client, server);
		connect(client, server);
		assertThat(this.checksOfServers).hasValue(1);
		assertThat(this.checksOfClients).hasValue(1);
	}

	@Test
	void itIsWhatItIsMadeOf() throws Exception {
		RenewableSslContext context = new RenewableSslContext(server("TLSv1.3"));
		assertThat(context.isServer()).isTrue();
		assertThat(context.cipherSuites()).isNotEmpty();
		assertThat(context.newEngine(ByteBufAllocator.DEFAULT).getEnabledProtocols()).containsExactly("TLSv1.3");
		context.tried(server("TLSv1.2")).run();
		assertThat(context.newEngine(ByteBufAllocator.DEFAULT).getEnabledProtocols()).containsExactly("TLSv1.2");
	}

	/* Nobody is there who could report it: netty would log it with its stack. */
	@Test
	void handshakeThatFailsWhenItsConnectionIsGoneEndsQuietly() throws Exception {
		Queue<Runnable> tasks = new ArrayDeque<>();
		SslHandler far = new RenewableSslContext(server("TLSv1.3"), tasks::add).newHandler(ByteBufAllocator.DEFAULT);
		EmbeddedChannel accepted = new EmbeddedChannel(far);
		SslHandler near = SslContextBuilder.forClient()
			.sslProvider(SslProvider.JDK)
			.trustManager(new Everybody())
			.endpointIdentificationAlgorithm(null)
			.build()
			.newHandler(ByteBufAllocator.DEFAULT);
		EmbeddedChannel withoutCertificate = new EmbeddedChannel(near);
		pass(withoutCertificate, accepted);
		tasks.remove().run();
		accepted.runPendingTasks();
		pass(accepted, withoutCertificate);
		assertThat(near.handshakeFuture().isSuccess()).isTrue();
		pass(withoutCertificate, accepted);
		assertThat(tasks).isNotEmpty();
		var _ = accepted.close();
		tasks.remove().run();
		accepted.runPendingTasks();
		accepted.checkException();
		assertThat(far.handshakeFuture().isSuccess()).isFalse();
		withoutCertificate.finishAndReleaseAll();
		accepted.releaseOutbound();
	}

	private SslContextBuilder server(String protocol) {
		return SslContextBuilder.forServer(keys)
			.sslProvider(SslProvider.JDK)
			.protocols(protocol)
			.trustManager(new Everybody())
			.clientAuth(ClientAuth.REQUIRE);
	}

	private SslContextBuilder client(String protocol) {
		return SslContextBuilder.forClient()
			.sslProvider(SslProvider.JDK)
			.protocols(protocol)
			.keyManager(keys)
			.trustManager(new Everybody())
			.endpointIdentificationAlgorithm(null);
	}

	private static void connect(SslContext client, SslContext server) {
		SslHandler near = client.newHandler(ByteBufAllocator.DEFAULT, "127.0.0.1", 7100);
		SslHandler far = server.newHandler(ByteBufAllocator.DEFAULT);
		EmbeddedChannel accepted = new EmbeddedChannel(far);
		EmbeddedChannel connected = new EmbeddedChannel(near);
		boolean passed = true;
		while (passed) {
			passed = pass(connected, accepted);
			passed = pass(accepted, connected) || passed;
		}
		assertThat(near.handshakeFuture().isSuccess()).isTrue();
		assertThat(far.handshakeFuture().isSuccess()).isTrue();
		connected.finishAndReleaseAll();
		accepted.finishAndReleaseAll();
	}

	private static boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
		boolean passed = false;
		for (ByteBuf said = from.readOutbound(); said != null; said = from.readOutbound()) {
			to.writeInbound(said);
			passed = true;
		}
		return passed;
	}

	/** Trusts each peer that shows a certificate, and counts them. */
	private final class Everybody extends X509ExtendedTrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) {
			RenewableSslContextTests.this.checksOfClients.incrementAndGet();
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {
			checkClientTrusted(chain, authType);
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
			checkClientTrusted(chain, authType);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) {
			RenewableSslContextTests.this.checksOfServers.incrementAndGet();
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
			checkServerTrusted(chain, authType);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
			checkServerTrusted(chain, authType);
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return new X509Certificate[0];
		}

	}

}
