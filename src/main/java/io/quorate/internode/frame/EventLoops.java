package io.quorate.internode.frame;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;
import reactor.netty.resources.LoopResources;

/** The event loops, and the one of the calling thread. */
public final class EventLoops {

	private static final Executor DIRECT = Runnable::run;

	private EventLoops() {
	}

	/**
	 * The event loop of the calling thread. For another thread, an executor that runs
	 * each task where it comes up.
	 */
	public static Executor current() {
		EventExecutor loop = currentOrNull();
		return (loop != null) ? loop : DIRECT;
	}

	/** The event loop of the calling thread, or {@code null} when it has none. */
	public static @Nullable EventExecutor currentOrNull() {
		return ThreadExecutorMap.currentExecutor();
	}

	/**
	 * Runs a task on an event loop, at once when it is the calling thread's.
	 * @return whether it will run: not when the loop has stopped
	 */
	public static boolean run(EventLoop loop, Runnable task) {
		if (loop.inEventLoop()) {
			task.run();
			return true;
		}
		try {
			loop.execute(task);
			return true;
		}
		catch (RejectedExecutionException stopped) {
			return false;
		}
	}

	/** All event loops of the resources. */
	public static List<EventLoop> of(LoopResources resources) {
		List<EventLoop> loops = new ArrayList<>();
		resources.onClient(LoopResources.DEFAULT_NATIVE).forEach((executor) -> loops.add((EventLoop) executor));
		return loops;
	}

}
