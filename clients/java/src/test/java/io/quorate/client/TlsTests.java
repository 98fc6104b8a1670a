package io.quorate.client;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * HTTPS: the certificates that a client trusts, and writes to nodes that it does not
 * trust.
 */
class TlsTests extends HostileTests {

	@TempDir
	static Path directory;

	private static Certificates right;

	private static Certificates otherName;

	@BeforeAll
	static void makeCertificates() {
		right = new Certificates(directory, "ip:127.0.0.1");
		otherName = new Certificates(directory, "dns:other");
	}

	@Test
	void valueOverHttps() {
		HostileServer server = opened(new HostileServer(right.ofServer(), Scripts.written(), Scripts.value("red")));
		QuorateClient client = opened(builder(server).authority(right.authority()).build());
		client.put("k", "red");
		assertThat(client.get("k").orElseThrow().text()).isEqualTo("red");
		assertThat(server.connections()).isEqualTo(1);
	}

	@Test
	void contextOfTheCaller() {
		HostileServer server = opened(new HostileServer(right.ofServer(), Scripts.written()));
		QuorateClient client = opened(builder(server).sslContext(Trust.of(right.authority())).build());
		assertThat(client.put("k", "red")).isEqualTo(new Written("\"1\""));
	}

	@Test
	void nodeThatIsNotTrustedHasNothing() {
		HostileServer server = opened(new HostileServer(right.ofServer(), Scripts.written()));
		QuorateClient client = opened(builder(server).authority(otherName.authority()).build());
		assertThat(requireNoNode(() -> client.put("k", "red")))
			.hasMessageContaining("no secure connection: the certificate of the node is of no authority")
			.hasMessageNotContaining("Exception");
		assertThat(
				opened(builder(server, node(Scripts.deleted())).authority(otherName.authority()).build()).delete("k"))
			.isEqualTo(new Written("\"1\""));
		QuorateClient distrusting = client(server);
		requireNoNode(() -> distrusting.put("k", "red"));
		assertThat(server.received()).isEmpty();
	}

	@Test
	void nodeOfAnotherNameHasNothing() {
		HostileServer server = opened(new HostileServer(otherName.ofServer(), Scripts.written()));
		QuorateClient client = opened(builder(server).authority(otherName.authority()).build());
		assertThat(requireNoNode(() -> client.put("k", "red")))
			.hasMessageContaining("no secure connection: the certificate of the node is for another host: No ")
			.hasMessageNotContaining("Exception");
		assertThat(server.received()).isEmpty();
	}

	@Test
	void writeWithoutAHandshakeHasNotHappened() throws IOException {
		String plain = answering("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
		QuorateClient client = client(deadline(2_000), plain);
		requireNoNode(() -> client.put("k", "v"));
	}

	/*
	 * The JDK hands a request over to TLS before the handshake. In one of some thousand
	 * cases it then says first that no answer came: what it is not certain of must be
	 * unknown.
	 */
	private static NoNodeAnsweredException requireNoNode(ThrowingCallable call) {
		for (int i = 0; i < 5; i++) {
			QuorateException failure = caught(QuorateException.class, call);
			if (failure instanceof NoNodeAnsweredException none) {
				return none;
			}
			assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
		}
		throw new AssertionError("no handshake was seen to fail");
	}

	/*
	 * The JDK does not say if a request has left when the other side ends the handshake.
	 */
	@Test
	void noOutcomeIsInventedForAHandshakeThatEnds() throws IOException {
		String ending = answering("");
		assertThat(caught(QuorateException.class, () -> client(deadline(2_000), ending).delete("k")))
			.isInstanceOfAny(OutcomeUnknownException.class, NoNodeAnsweredException.class);
	}

	/**
	 * Returns the URL of what speaks no TLS, and says this before it ends the connection.
	 */
	private String answering(String text) throws IOException {
		ServerSocket socket = opened(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()));
		Thread thread = new Thread(() -> {
			while (!socket.isClosed()) {
				try (Socket connection = socket.accept()) {
					connection.getInputStream().read();
					connection.getOutputStream().write(Scripts.bytes(text));
					connection.shutdownOutput();
					// A close with unread bytes would be a reset, which may overtake the
					// text.
					connection.getInputStream().transferTo(OutputStream.nullOutputStream());
				}
				catch (IOException end) {
					// The client has ended it, or the test.
				}
			}
		});
		thread.setDaemon(true);
		thread.start();
		return "https://127.0.0.1:" + socket.getLocalPort();
	}

	@Test
	void authorityHasToBeThere() throws IOException {
		caught(UncheckedIOException.class, () -> builder("https://a").authority(directory.resolve("none.pem")));
		Path empty = Files.createFile(directory.resolve("empty.pem"));
		caught(IllegalArgumentException.class, () -> builder("https://a").authority(empty));
	}

}
