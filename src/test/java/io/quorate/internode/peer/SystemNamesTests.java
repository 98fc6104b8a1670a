package io.quorate.internode.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.resolver.AddressResolver;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SystemNamesTests {

	private static final int PORT = 7100;

	private final Map<String, List<String>> hosts = new ConcurrentHashMap<>();

	private final Queue<Runnable> lookups = new ArrayDeque<>();

	private final SystemNames names = new SystemNames(this::lookUp, this.lookups::add);

	private final AddressResolver<InetSocketAddress> resolver = this.names.getResolver(ImmediateEventExecutor.INSTANCE);

	@AfterEach
	void close() {
		this.names.close();
	}

	@Test
	void theSystemIsAskedAtEachAttempt() {
		this.hosts.put("n1", List.of("127.0.0.2"));
		assertThat(addresses("n1")).containsExactly("127.0.0.2");
		this.hosts.put("n1", List.of("127.0.0.3"));
		assertThat(addresses("n1")).containsExactly("127.0.0.3");
	}

	@Test
	void aHostHasAllItsAddresses() {
		this.hosts.put("n1", List.of("127.0.0.2", "127.0.0.3"));
		assertThat(addresses("n1")).containsExactly("127.0.0.2", "127.0.0.3");
	}

	@Test
	void theEventLoopDoesNotWaitForTheSystem() {
		this.hosts.put("n1", List.of("127.0.0.2"));
		Future<InetSocketAddress> found = this.resolver.resolve(InetSocketAddress.createUnresolved("n1", PORT));
		assertThat(found.isDone()).isFalse();
		this.lookups.remove().run();
		assertThat(found.getNow()).isEqualTo(new InetSocketAddress("127.0.0.2", PORT));
	}

	@Test
	void aHostThatNobodyKnowsIsAFailureUntilSomebodyKnowsIt() {
		Future<List<InetSocketAddress>> none = this.resolver.resolveAll(InetSocketAddress.createUnresolved("n1", PORT));
		this.lookups.remove().run();
		assertThat(none.cause()).isInstanceOf(UnknownHostException.class).hasMessageContaining("n1");
		this.hosts.put("n1", List.of("127.0.0.2"));
		assertThat(addresses("n1")).containsExactly("127.0.0.2");
	}

	private List<String> addresses(String host) {
		Future<List<InetSocketAddress>> found = this.resolver
			.resolveAll(InetSocketAddress.createUnresolved(host, PORT));
		this.lookups.remove().run();
		return found.getNow().stream().map((address) -> address.getAddress().getHostAddress()).toList();
	}

	private InetAddress[] lookUp(String host) throws UnknownHostException {
		List<String> addresses = this.hosts.get(host);
		if (addresses == null) {
			throw new UnknownHostException(host);
		}
		InetAddress[] all = new InetAddress[addresses.size()];
		for (int i = 0; i < all.length; i++) {
			all[i] = InetAddress.getByAddress(host, InetAddress.getByName(addresses.get(i)).getAddress());
		}
		return all;
	}

}
