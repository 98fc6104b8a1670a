package io.quorate.internode.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;

/**
 * The addresses of hosts by the resolver of the system, which is asked anew at each
 * attempt to connect: whatever source it has, such as {@code /etc/hosts} or DNS, a member
 * that moves is found. A lookup takes a thread of the executor, never that of the event
 * loop, and as long as the system lets it.
 */
final class SystemNames extends AddressResolverGroup<InetSocketAddress> {

	private final Lookup lookup;

	private final Executor executor;

	SystemNames(Lookup lookup, Executor executor) {
		this.lookup = lookup;
		this.executor = executor;
	}

	@Override
	protected AddressResolver<InetSocketAddress> newResolver(EventExecutor loop) {
		return new Resolver(loop).asAddressResolver();
	}

	/** All addresses of a host. */
	@FunctionalInterface
	interface Lookup {

		InetAddress[] all(String host) throws UnknownHostException;

	}

	private final class Resolver extends InetNameResolver {

		private Resolver(EventExecutor loop) {
			super(loop);
		}

		@Override
		protected void doResolve(String host, Promise<InetAddress> promise) {
			lookUp(host, promise, (found) -> found[0]);
		}

		@Override
		protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
			lookUp(host, promise, List::of);
		}

		private <T> void lookUp(String host, Promise<T> promise, Function<InetAddress[], T> answer) {
			SystemNames.this.executor.execute(() -> {
				try {
					promise.trySuccess(answer.apply(SystemNames.this.lookup.all(host)));
				}
				catch (UnknownHostException unknown) {
					promise.tryFailure(unknown);
				}
			});
		}

	}

}
