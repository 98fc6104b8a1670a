package io.quorate.api.transport;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.ReferenceCountUtil;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** Answers over real connections with small buffers, judged by a clock of the test. */
@ExtendWith(OutputCaptureExtension.class)
class OutflowTests {

	private static final int ANSWER_BYTES = 1024 * 1024;

	private static final int KERNEL_BYTES = 8 * 1024;

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final Duration LONG = Duration.ofHours(1);

	private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final CompletableFuture<Channel> accepted = new CompletableFuture<>();

	private final Socket client = new Socket();

	private long now = System.nanoTime();

	@BeforeEach
	void connect() throws Exception {
		Channel server = new ServerBootstrap().group(this.loops)
			.channel(NioServerSocketChannel.class)
			.childOption(ChannelOption.SO_SNDBUF, KERNEL_BYTES)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					OutflowTests.this.accepted.complete(channel);
				}
			})
			.bind(InetAddress.getLoopbackAddress(), 0)
			.sync()
			.channel();
		this.client.setReceiveBufferSize(KERNEL_BYTES);
		this.client.setSoTimeout(10_000);
		this.client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(),
				((InetSocketAddress) server.localAddress()).getPort()), 10_000);
	}

	@AfterEach
	void close() throws Exception {
		this.client.close();
		this.loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
	}

	@Test
	void theAnswerOfAClientThatTakesLessThanTheLeastRateIsAborted() throws Exception {
		Channel channel = channel();
		Outflow outflow = begin(channel, LONG);
		int seconds = 0;
		while (channel.isActive() && seconds < 60) {
			assertThat(this.client.getInputStream().readNBytes(LeastRate.BYTES_PER_SECOND / 4)).isNotEmpty();
			secondPasses(channel, outflow);
			seconds++;
		}
		assertThat(channel.isActive()).isFalse();
		assertThat(seconds).isGreaterThan((int) Outflow.GRACE.toSeconds());
	}

	/** Of one message, as a record of a scan is, however large its value. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void theAnswerOfAClientThatTakesMoreIsWhole(boolean isEncrypted) throws Exception {
		Channel channel = channel();
		if (isEncrypted) {
			channel.pipeline().addFirst(new HoldingBack());
		}
		Outflow outflow = begin(channel, LONG);
		InputStream in = this.client.getInputStream();
		int step = 2 * LeastRate.BYTES_PER_SECOND;
		for (int taken = 0; taken < ANSWER_BYTES; taken += step) {
			assertThat(in.readNBytes(step)).hasSize(step);
			secondPasses(channel, outflow);
			assertThat(channel.isActive()).isTrue();
		}
	}

	@Test
	void theAnswerOfAClientThatTakesNothingIsAbortedAfterTheIdleLimit() throws Exception {
		Channel channel = channel();
		Outflow outflow = begin(channel, Duration.ofSeconds(3));
		int seconds = 0;
		while (channel.isActive() && seconds < 60) {
			secondPasses(channel, outflow);
			seconds++;
		}
		assertThat(channel.isActive()).isFalse();
		assertThat(seconds).isBetween(4, (int) Outflow.GRACE.toSeconds());
	}

	/** What is not ready for the client takes no time of its own. */
	@Test
	void timeInWhichNothingIsReadyIsNotTheClients() throws Exception {
		Channel channel = channel();
		Outflow outflow = new Outflow(channel, Duration.ofSeconds(3));
		for (int seconds = 0; seconds < 30; seconds++) {
			secondPasses(channel, outflow);
		}
		assertThat(channel.isActive()).isTrue();
	}

	/** The client sends in the first turn, and is heard before the third. */
	@Test
	void theLoopServesItsConnectionsBetweenTwoTurns() throws Exception {
		Channel channel = channel();
		AtomicBoolean isRead = new AtomicBoolean();
		channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
			@Override
			public void channelRead(ChannelHandlerContext context, Object message) {
				ReferenceCountUtil.release(message);
				isRead.set(true);
			}
		});
		CompletableFuture<Boolean> wasRead = new CompletableFuture<>();
		Executor turns = ConnectionLoop.turns(channel.eventLoop());
		CompletableFuture<Boolean> hasBegun = new CompletableFuture<>();
		AtomicBoolean isSent = new AtomicBoolean();
		/* Linked here: the loading of a class would block the event loop. */
		Runnable third = () -> wasRead.complete(isRead.get());
		Runnable second = () -> turns.execute(third);
		turns.execute(() -> {
			hasBegun.complete(true);
			while (!isSent.get()) {
				/* A hint to the processor is a blocking call for BlockHound. */
			}
			turns.execute(second);
		});
		assertThat(hasBegun.get(1, TimeUnit.MINUTES)).isTrue();
		this.client.getOutputStream().write(1);
		isSent.set(true);
		assertThat(wasRead.get(1, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	void aTurnThatFailsIsLogged(CapturedOutput output) throws Exception {
		ConnectionLoop.turns(channel().eventLoop()).execute(() -> {
			throw new IllegalStateException("a turn of the test");
		});
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("Bug: a turn has failed", "a turn of the test"));
	}

	private Channel channel() throws Exception {
		return this.accepted.get(1, TimeUnit.MINUTES);
	}

	private static Outflow begin(Channel channel, Duration idleLimit) throws Exception {
		Outflow outflow = new Outflow(channel, idleLimit);
		channel.eventLoop().submit(() -> {
			var _ = channel.pipeline().write(Unpooled.wrappedBuffer(new byte[ANSWER_BYTES]));
		}).get(1, TimeUnit.MINUTES);
		outflow.drained().subscribe();
		return outflow;
	}

	private void secondPasses(Channel channel, Outflow outflow) throws Exception {
		this.now += SECOND;
		outflow.abortIfIdle(this.now);
		channel.eventLoop().submit(() -> {
		}).get(1, TimeUnit.MINUTES);
	}

	/** Writes when it is flushed, as TLS does. */
	private static final class HoldingBack extends ChannelOutboundHandlerAdapter {

		private final Queue<Object> held = new ArrayDeque<>();

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			this.held.add(message);
			promise.setSuccess();
		}

		@Override
		public void flush(ChannelHandlerContext context) {
			for (Object message = this.held.poll(); message != null; message = this.held.poll()) {
				var _ = context.write(message);
			}
			context.flush();
		}

	}

}
