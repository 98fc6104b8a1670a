package io.quorate.internode.tls;

import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TlsFailureHandlerTests {

	private final List<String> said = new ArrayList<>();

	private final EmbeddedChannel server = new EmbeddedChannel(
			new TlsFailureHandler(true, (level, reason) -> this.said.add(level + " " + reason)));

	/** A peer that has no time left cancels: that is no fault of a certificate. */
	@Test
	void handshakeThatItsPeerHasCancelledIsAWarning() {
		this.server.pipeline()
			.fireUserEventTriggered(
					new SslHandshakeCompletionEvent(new SSLException("Received fatal alert: user_canceled")));
		assertThat(this.said).containsExactly("WARN TLS: Received fatal alert: user_canceled");
	}

	@Test
	void handshakeThatIsRefusedIsAnError() {
		this.server.pipeline()
			.fireUserEventTriggered(
					new SslHandshakeCompletionEvent(new SSLHandshakeException("Received fatal alert: unknown_ca")));
		assertThat(this.said).containsExactly("ERROR TLS: Received fatal alert: unknown_ca");
	}

	@Test
	void peerThatDoesNotSpeakTlsIsAnErrorAndItsConnectionIsClosed() {
		this.server.pipeline().fireExceptionCaught(new DecoderException(new NotSslRecordException("474554")));
		assertThat(this.said).singleElement().asString().startsWith("ERROR it does not speak TLS");
		assertThat(this.server.isActive()).isFalse();
	}

	@Test
	void handshakeOfWhoHasGoneWithoutAWordIsNoNews() {
		var _ = this.server.close();
		this.server.pipeline()
			.fireUserEventTriggered(new SslHandshakeCompletionEvent(new SSLException("closed already")));
		assertThat(this.said).isEmpty();
	}

	@Test
	void handshakeThatHasSucceededIsNoNews() {
		this.server.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
		assertThat(this.said).isEmpty();
		assertThat(this.server.isActive()).isTrue();
	}

}
