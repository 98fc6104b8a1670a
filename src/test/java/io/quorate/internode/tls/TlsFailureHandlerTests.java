package io.quorate.internode.tls;

import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClosedEngineException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TlsFailureHandlerTests {

	private final List<String> said = new ArrayList<>();

	/* As of a real channel that was closed: its handlers are there for a moment. */
	private boolean isClosed;

	private final EmbeddedChannel server = new EmbeddedChannel(
			new TlsFailureHandler(true, (level, reason) -> this.said.add(level + " " + reason))) {

		@Override
		public boolean isActive() {
			return !TlsFailureHandlerTests.this.isClosed && super.isActive();
		}

	};

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
		this.isClosed = true;
		this.server.pipeline()
			.fireUserEventTriggered(new SslHandshakeCompletionEvent(new SSLException("closed already")));
		assertThat(this.said).isEmpty();
	}

	@Test
	void recordThatIsForgedIsAnErrorOnceThoughItsConnectionIsClosed() {
		this.server.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
		this.isClosed = true;
		this.server.pipeline().fireExceptionCaught(new DecoderException(new SSLException("Tag mismatch")));
		this.server.pipeline().fireExceptionCaught(new DecoderException(new NotSslRecordException("000000")));
		assertThat(this.said).containsExactly("ERROR TLS: Tag mismatch");
	}

	@Test
	void connectionThatWasClosedBeforeItsLastBytesIsNoNews() {
		this.server.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
		this.isClosed = true;
		this.server.pipeline().fireExceptionCaught(new SslClosedEngineException("SSLEngine closed already"));
		assertThat(this.said).isEmpty();
	}

	@Test
	void handshakeThatHasSucceededIsNoNews() {
		this.server.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
		assertThat(this.said).isEmpty();
		assertThat(this.server.isActive()).isTrue();
	}

}
