package io.quorate.internode.peer;

import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.quorate.internode.server.EmbeddedPort;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpClientConfig;

/**
 * Connections in memory to the port of one node, and the time of both ends: all happens
 * on the thread of the test, when the test lets it.
 */
final class EmbeddedNetwork {

	private static final Duration STEP = Duration.ofMillis(5);

	/* Requests have deadlines by the clock of the machine. */
	private final long begunNanos = System.nanoTime();

	private final MockTicker time = Ticker.newMockTicker();

	/* Its timers outlast the connections. */
	private final List<EmbeddedChannel> loops = List.of(channel(), channel());

	private final List<Wire> wires = new ArrayList<>();

	private @Nullable EmbeddedPort port;

	private boolean isAnswering = true;

	private boolean isFrozen;

	private int attempts;

	private record Wire(EmbeddedChannel near, EmbeddedChannel far) {

		private boolean carry() {
			boolean isMoved = carry(this.near, this.far);
			isMoved |= carry(this.far, this.near);
			if (this.near.isOpen() != this.far.isOpen()) {
				close();
			}
			return isMoved;
		}

		private static boolean carry(EmbeddedChannel from, EmbeddedChannel to) {
			from.runPendingTasks();
			boolean isMoved = false;
			for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
				isMoved = true;
				if (to.isOpen()) {
					to.writeInbound(bytes);
				}
				else {
					ReferenceCountUtil.release(bytes);
				}
			}
			return isMoved;
		}

		private void close() {
			for (EmbeddedChannel end : List.of(this.near, this.far)) {
				var _ = end.close();
				end.runPendingTasks();
				end.releaseOutbound();
			}
		}

	}

	private EmbeddedChannel channel() {
		return EmbeddedChannel.builder().ticker(this.time).build();
	}

	List<EventLoop> loops() {
		return this.loops.stream().map(EmbeddedChannel::eventLoop).toList();
	}

	/** The monotonic clock of both nodes. */
	long nanos() {
		return this.begunNanos + this.time.nanoTime();
	}

	/** From now on connections lead to a port, or are refused when there is none. */
	void lead(@Nullable EmbeddedPort to) {
		this.port = to;
	}

	/** Whether attempts to connect are answered from now on. */
	void answer(boolean attempt) {
		this.isAnswering = attempt;
	}

	/** Whether what is sent stays where it is. */
	void freeze(boolean state) {
		this.isFrozen = state;
	}

	/** Attempts to connect until now. */
	int attempts() {
		return this.attempts;
	}

	/** Closes all connections. */
	void cut() {
		this.wires.forEach(Wire::close);
		settle();
	}

	/** Has everything happen that waits for no time. */
	void settle() {
		boolean isMoved;
		do {
			this.loops.forEach(EmbeddedChannel::runPendingTasks);
			isMoved = false;
			for (Wire wire : this.isFrozen ? List.<Wire>of() : List.copyOf(this.wires)) {
				isMoved |= wire.carry();
			}
			this.wires.removeIf((wire) -> !wire.near().isOpen());
		}
		while (isMoved);
	}

	/** Has time pass, and everything happen that waits for it. */
	void pass(Duration span) {
		settle();
		for (Duration left = span; left.isPositive(); left = left.minus(STEP)) {
			this.time.advance(STEP.toNanos(), TimeUnit.NANOSECONDS);
			settle();
		}
	}

	/** A client whose connections come about when the network settles. */
	TcpClient client(EventLoop loop) {
		return new TcpClient() {

			@Override
			public Mono<? extends Connection> connect() {
				return Mono.<Connection>create((sink) -> {
					EmbeddedNetwork.this.attempts++;
					if (EmbeddedNetwork.this.isAnswering) {
						loop.execute(() -> {
							EmbeddedPort led = EmbeddedNetwork.this.port;
							if (led == null) {
								sink.error(new ConnectException("refused"));
							}
							else {
								sink.success(wire(led));
							}
						});
					}
				});
			}

			@Override
			public TcpClientConfig configuration() {
				throw new UnsupportedOperationException();
			}

			@Override
			protected TcpClient duplicate() {
				throw new UnsupportedOperationException();
			}

		};
	}

	private Connection wire(EmbeddedPort led) {
		Wire wire = new Wire(channel(), led.accept(this.time));
		this.wires.add(wire);
		return Connection.from(wire.near());
	}

}
