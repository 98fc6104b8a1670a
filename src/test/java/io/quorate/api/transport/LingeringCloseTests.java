package io.quorate.api.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A connection that a server ends while its client still sends. */
class LingeringCloseTests {

	/*
	 * More than the client's receive buffer: the rest waits in the kernel of the server.
	 */
	private static final byte[] ANSWER = "no\n".repeat(100_000).getBytes(StandardCharsets.ISO_8859_1);

	private static final int PATIENCE_MILLIS = 60_000;

	private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final CountDownLatch sent = new CountDownLatch(1);

	private final CountDownLatch closed = new CountDownLatch(1);

	private Channel server;

	@BeforeEach
	void start() {
		this.server = new ServerBootstrap().group(this.loops)
			.channel(NioServerSocketChannel.class)
			.childOption(ChannelOption.AUTO_READ, false)
			.childOption(ChannelOption.SO_SNDBUF, 2 * ANSWER.length)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					channel.attr(LingeringClose.WANTED).set(true);
					channel.pipeline().addLast(new LingeringClose(), new Refusing());
				}
			})
			.bind(InetAddress.getLoopbackAddress(), 0)
			.syncUninterruptibly()
			.channel();
	}

	@AfterEach
	void stop() {
		this.server.close().syncUninterruptibly();
		this.loops.shutdownGracefully().syncUninterruptibly();
	}

	@Test
	void aSecondCloseTakesNoAnswerFromAClient() throws Exception {
		try (Socket client = new Socket()) {
			client.setSoTimeout(PATIENCE_MILLIS);
			client.setReceiveBufferSize(4096);
			client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(),
					((InetSocketAddress) this.server.localAddress()).getPort()), PATIENCE_MILLIS);
			client.getOutputStream().write(new byte[10_000]);
			this.sent.countDown();
			assertThat(this.closed.await(1, TimeUnit.MINUTES)).isTrue();
			assertThat(client.getInputStream().readAllBytes()).isEqualTo(ANSWER);
		}
	}

	/**
	 * Answers as soon as the bytes of the client wait in the kernel, and closes twice.
	 */
	private final class Refusing extends ChannelInboundHandlerAdapter {

		@Override
		public void channelActive(ChannelHandlerContext context) throws InterruptedException {
			LingeringCloseTests.this.sent.await();
			var _ = context.writeAndFlush(Unpooled.wrappedBuffer(ANSWER)).addListener((_) -> {
				var _ = context.close();
				var _ = context.close();
				LingeringCloseTests.this.closed.countDown();
			});
		}

	}

}
