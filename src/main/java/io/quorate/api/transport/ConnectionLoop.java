package io.quorate.api.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/** The way back to the event loop of a connection, for a request that has left it. */
public final class ConnectionLoop {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionLoop.class);

	private ConnectionLoop() {
	}

	/** The event loop of the connection of a request. */
	public static Scheduler of(ServerHttpRequest request) {
		return Schedulers.fromExecutor(loop(request));
	}

	/**
	 * Runs tasks one after another, on the event loop of the connection of a request,
	 * each in a turn that begins later. Before it the loop serves its other connections:
	 * a task that is only queued runs before them, however many have been queued by
	 * tasks.
	 */
	public static Executor turns(ServerHttpRequest request) {
		return turns(loop(request));
	}

	/** The same turns, on a given event loop. */
	static Executor turns(EventLoop loop) {
		return (task) -> {
			var _ = loop.schedule(() -> turn(task), 0, TimeUnit.NANOSECONDS);
		};
	}

	/* Of a task that is scheduled the event loop logs no failure. */
	private static void turn(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error bug) {
			logger.error("Bug: a turn has failed", bug);
			throw bug;
		}
	}

	private static EventLoop loop(ServerHttpRequest request) {
		HttpServerRequest nettyRequest = ServerHttpRequestDecorator.getNativeRequest(request);
		EventLoop[] found = new EventLoop[1];
		nettyRequest.withConnection((connection) -> found[0] = connection.channel().eventLoop());
		return found[0];
	}

}
