package io.quorate.api.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;

import static org.assertj.core.api.Assertions.assertThat;

/** A real event loop, which stands still while a client sends a request. */
class ArrivalTests {

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	/* Longer than the loop waits before it lets a request begin. */
	private static final Duration BUSY = Duration.ofMillis(60);

	private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final AtomicLong clock = new AtomicLong(1_000_000_000_000L);

	private final Stalls stalls = new Stalls(this.clock::get);

	/* To add to it never blocks, as an event loop must not. */
	private final BlockingQueue<Outcome> outcomes = new LinkedTransferQueue<>();

	enum Outcome {

		BEGUN, LEFT

	}

	enum Client {

		STAYS, CLOSES, RESETS

	}

	@AfterEach
	void end() throws InterruptedException {
		this.stalls.close();
		this.loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
	}

	@ParameterizedTest
	@EnumSource
	void aLoopThatIsBusyAfterItsStallSeesTheEndOfTheConnectionFirst(Client client) throws Exception {
		this.stalls.of(this.loop.next());
		Channel server = serve();
		CountDownLatch stall = new CountDownLatch(1);
		Socket socket = new Socket();
		try {
			CountDownLatch isStalled = new CountDownLatch(1);
			this.loop.execute(() -> {
				isStalled.countDown();
				spinUntil(() -> stall.getCount() == 0);
			});
			assertThat(isStalled.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
			socket.connect(server.localAddress());
			socket.getOutputStream().write(new byte[100]);
			if (client == Client.RESETS) {
				socket.setSoLinger(true, 0);
			}
			if (client != Client.STAYS) {
				socket.close();
			}
			this.clock.addAndGet(Stalls.LEAST.multipliedBy(3).toNanos());
			stall.countDown();
			assertThat(this.outcomes.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
				.isEqualTo((client == Client.STAYS) ? Outcome.BEGUN : Outcome.LEFT);
		}
		finally {
			stall.countDown();
			socket.close();
			server.close().sync();
		}
	}

	private Channel serve() throws InterruptedException {
		return new ServerBootstrap().group(this.loop)
			.channel(NioServerSocketChannel.class)
			.childHandler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					Stalls.Loop its = ArrivalTests.this.stalls.of(channel.eventLoop());
					Arrival arrival = new Arrival(its, its, new PipelineGate());
					channel.pipeline().addLast(arrival, new Handler(arrival));
				}
			})
			.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
			.sync()
			.channel();
	}

	/* An event loop must not block: it is busy. */
	private static void spinUntil(BooleanSupplier end) {
		long start = System.nanoTime();
		while (!end.getAsBoolean()) {
			assertThat(System.nanoTime() - start).isLessThan(TIMEOUT.toNanos());
		}
	}

	/** Takes what comes as one request, and keeps the loop busy with it. */
	private final class Handler extends ChannelInboundHandlerAdapter {

		private final Arrival arrival;

		private Disposable request = () -> {
		};

		Handler(Arrival arrival) {
			this.arrival = arrival;
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			ReferenceCountUtil.release(message);
			this.request = this.arrival.whenClientIsThere()
				.subscribe(null, null, () -> ArrivalTests.this.outcomes.add(Outcome.BEGUN));
			long start = System.nanoTime();
			spinUntil(() -> System.nanoTime() - start > BUSY.toNanos());
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			this.request.dispose();
			ArrivalTests.this.outcomes.add(Outcome.LEFT);
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable reset) {
			var _ = context.close();
		}

	}

}
