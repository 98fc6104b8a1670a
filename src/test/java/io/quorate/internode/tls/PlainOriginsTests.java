package io.quorate.internode.tls;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.channel.embedded.EmbeddedChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PlainOriginsTests {

	private final Deque<Runnable> lookups = new ArrayDeque<>();

	private final PlainOrigins origins = new PlainOrigins(PlainOriginsTests::addresses, this.lookups::add);

	private static InetAddress[] addresses(String host) throws UnknownHostException {
		if (!host.equals("n9.peers")) {
			throw new UnknownHostException(host);
		}
		return new InetAddress[] { InetAddress.ofLiteral("10.0.0.9"), InetAddress.ofLiteral("fd00::9") };
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			127.0.0.1 | 127.0.0.1  |
			10.0.0.9  | n9.peers   |
			fd00::9   | n9.peers   |
			fd00::9   | fd00:0:0::9 |
			127.0.0.1 | 127.0.0.7  | it comes from 127.0.0.1, which is no address of its host '127.0.0.7'
			10.0.0.8  | n9.peers   | it comes from 10.0.0.8, which is no address of its host 'n9.peers'
			10.0.0.9  | n8.peers   | its host 'n8.peers' has no address here
			""")
	void aConnectionComesFromAnAddressOfItsHost(String from, String host, @Nullable String objection) {
		CompletableFuture<@Nullable String> found = objection(from, host);
		this.lookups.forEach(Runnable::run);
		assertThat(found).isCompletedWithValue(objection);
	}

	@Test
	void noMoreNamesThanAFewAreLookedUpAtATime() {
		for (int i = 0; i < PlainOrigins.MAX_LOOKUPS; i++) {
			assertThat(objection("10.0.0.9", "n%d.peers".formatted(i))).isNotDone();
		}
		assertThat(objection("10.0.0.9", "n9.peers"))
			.isCompletedWithValue("the addresses of 8 other hosts are looked up");
		this.lookups.forEach(Runnable::run);
		assertThat(objection("10.0.0.9", "n9.peers")).isNotDone();
	}

	@Test
	void aLookupThatFailsOrDoesNotBeginLeavesRoomForOthers() {
		AtomicBoolean isAmiss = new AtomicBoolean(true);
		PlainOrigins failing = new PlainOrigins((host) -> {
			if (isAmiss.get()) {
				throw new IllegalStateException("no resolver");
			}
			return addresses(host);
		}, Runnable::run);
		PlainOrigins refusing = new PlainOrigins(PlainOriginsTests::addresses, (lookup) -> {
			if (isAmiss.get()) {
				throw new RejectedExecutionException("no thread");
			}
			lookup.run();
		});
		for (int i = 0; i <= PlainOrigins.MAX_LOOKUPS; i++) {
			assertThat(objection(failing, "10.0.0.9", "n9.peers")).isCompletedWithValue(
					"its host 'n9.peers' cannot be looked up: java.lang.IllegalStateException: no resolver");
			assertThat(objection(refusing, "10.0.0.9", "n9.peers")).isCompletedWithValue(
					"its host 'n9.peers' cannot be looked up: java.util.concurrent.RejectedExecutionException: no thread");
		}
		isAmiss.set(false);
		assertThat(objection(failing, "10.0.0.9", "n9.peers")).isCompletedWithValue(null);
		assertThat(objection(refusing, "10.0.0.9", "n9.peers")).isCompletedWithValue(null);
	}

	@Test
	void aConnectionWithoutEncryptionIsJudgedByItsAddress() {
		EmbeddedChannel channel = new EmbeddedChannel();
		assertThat(Encryption.NONE.hostObjection(channel, "127.0.0.7"))
			.isCompletedWithValue("its connection has no address");
	}

	private CompletableFuture<@Nullable String> objection(String from, String host) {
		return objection(this.origins, from, host);
	}

	private static CompletableFuture<@Nullable String> objection(PlainOrigins origins, String from, String host) {
		return origins.objection(new InetSocketAddress(InetAddress.ofLiteral(from), 7100), host);
	}

}
