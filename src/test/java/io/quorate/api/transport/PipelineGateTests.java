package io.quorate.api.transport;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A gate before a codec, in a connection that is answered by hand. */
class PipelineGateTests {

	private static final int MOST = 128;

	private final PipelineGate gate = new PipelineGate();

	private final Requests requests = new Requests();

	private final Reads reads = new Reads();

	private final EmbeddedChannel channel = new EmbeddedChannel(this.reads, this.gate, new HttpServerCodec(),
			new PipelinedClose(() -> false, this.gate), this.requests);

	@AfterEach
	void nothingIsLost() {
		assertThat(this.channel.finish()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "GET / HTTP/1.1\r\n\r\n", "G / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" })
	void someDozensOfRequestsAreTakenAtATime(String request) {
		int all = 2_000;
		send(request.repeat(all));
		int answered = 0;
		while (answered < all) {
			assertThat(this.requests.heads.size() - answered).isBetween(1, MOST - 1);
			answer();
			answered++;
		}
		assertThat(this.requests.heads).hasSize(all);
	}

	@Test
	void nothingIsReadWhileRequestsWait() {
		send("GET / HTTP/1.1\r\n\r\n".repeat(2_000));
		this.reads.count = 0;
		this.channel.read();
		assertThat(this.reads.count).isZero();
		while (this.gate.unanswered() > 0) {
			answer();
		}
		assertThat(this.requests.heads).hasSize(2_000);
		assertThat(this.reads.count).isPositive();
	}

	@Test
	void aTurnOfReadsEndsWhenOneIsHeld() {
		this.channel.pipeline().fireChannelRead(text("GET / HTTP/1.1\r\n\r\n".repeat(2_000)));
		assertThat(this.channel.config().isAutoRead()).isFalse();
		this.channel.pipeline().fireChannelReadComplete();
		assertThat(this.channel.config().isAutoRead()).isTrue();
		var _ = this.channel.close();
	}

	@Test
	void aBodyComesThroughWholeWhileItsRequestIsTheOnlyOne() {
		String body = "\n".repeat(100_000);
		send("PUT / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body));
		assertThat(this.requests.bodyBytes).isEqualTo(body.length());
		answer();
	}

	@Test
	void aBodyBehindAnotherRequestWaits() {
		String get = "GET / HTTP/1.1\r\n\r\n";
		String body = "x".repeat(100_000);
		send(get);
		send("PUT / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s%s".formatted(body.length(), body, get));
		assertThat(this.requests.bodyBytes).isZero();
		answer();
		assertThat(this.requests.bodyBytes).isEqualTo(body.length());
		answer();
		answer();
		assertThat(this.requests.heads).hasSize(3);
	}

	@Test
	void aHeadThatIsCutByTheGateIsPutTogether() {
		String request = "GET /%s HTTP/1.1\r\nX: %s\r\n\r\n".formatted("a".repeat(700), "b".repeat(700));
		send(request.repeat(200));
		for (int i = 0; i < 200; i++) {
			assertThat(this.requests.heads.get(i).decoderResult().isSuccess()).isTrue();
			answer();
		}
	}

	@Test
	void theGateThrowsAwayWhatComesBehindTheLastRequest() {
		String get = "GET / HTTP/1.1\r\n\r\n";
		send(get + "GET / HTTP/1.1\r\nConnection: close\r\n\r\n" + get.repeat(2_000));
		send(get.repeat(2_000));
		answer();
		answer();
		assertThat(this.requests.heads).hasSize(2);
		assertThat(this.channel.isOpen()).isFalse();
	}

	@Test
	void aClosedConnectionHoldsNothing() {
		ByteBuf bytes = text("GET / HTTP/1.1\r\n\r\n".repeat(2_000));
		this.channel.writeInbound(bytes);
		assertThat(bytes.refCnt()).isPositive();
		var _ = this.channel.close();
		assertThat(bytes.refCnt()).isZero();
	}

	private void send(String text) {
		this.channel.writeInbound(text(text));
	}

	private static ByteBuf text(String text) {
		return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
	}

	private void answer() {
		DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
				Unpooled.EMPTY_BUFFER);
		HttpUtil.setContentLength(response, 0);
		this.channel.writeOutbound(response);
		this.channel.runPendingTasks();
		this.channel.releaseOutbound();
	}

	private static final class Requests extends ChannelInboundHandlerAdapter {

		private final List<HttpRequest> heads = new ArrayList<>();

		private int bodyBytes;

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (message instanceof HttpRequest head) {
				this.heads.add(head);
			}
			if (message instanceof HttpContent content) {
				this.bodyBytes += content.content().readableBytes();
			}
			ReferenceCountUtil.release(message);
		}

	}

	private static final class Reads extends ChannelOutboundHandlerAdapter {

		private int count;

		@Override
		public void read(ChannelHandlerContext context) {
			this.count++;
			context.read();
		}

	}

}
