package io.quorate.internode;

import java.util.concurrent.Executor;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;

/** The event loop of the calling thread. */
final class EventLoops {

	private static final Executor DIRECT = Runnable::run;

	private EventLoops() {
	}

	/**
	 * The event loop that the calling thread is; what is told to another thread is told
	 * where it comes up.
	 */
	static Executor current() {
		EventExecutor loop = ThreadExecutorMap.currentExecutor();
		return (loop != null) ? loop : DIRECT;
	}

}
