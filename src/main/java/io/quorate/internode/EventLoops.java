package io.quorate.internode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;
import reactor.netty.resources.LoopResources;

/** The event loops, and the one of the calling thread. */
final class EventLoops {

	private static final Executor DIRECT = Runnable::run;

	private EventLoops() {
	}

	/**
	 * The event loop that the calling thread is; what is told to another thread is told
	 * where it comes up.
	 */
	static Executor current() {
		EventExecutor loop = currentOrNull();
		return (loop != null) ? loop : DIRECT;
	}

	/** The event loop that the calling thread is, or {@code null}. */
	static @Nullable EventExecutor currentOrNull() {
		return ThreadExecutorMap.currentExecutor();
	}

	/** All of them. */
	static List<EventLoop> of(LoopResources resources) {
		List<EventLoop> loops = new ArrayList<>();
		resources.onClient(LoopResources.DEFAULT_NATIVE).forEach((executor) -> loops.add((EventLoop) executor));
		return loops;
	}

}
