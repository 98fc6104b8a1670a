package io.quorate.client;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** The threads of clients, while no other test has any. */
@Isolated
class ThreadTests extends HostileTests {

	/** Returns the threads of all clients, and those of the JDK's. */
	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((each) -> each.getName().startsWith("quorate-client-") || each.getName().startsWith("HttpClient-"))
			.collect(Collectors.toSet());
	}

	@Test
	void closedClientsLeaveNoThread() throws InterruptedException {
		HostileServer server = node(Scripts.value("red"));
		HostileServer watched = node(EventFeed.of(EventFeed.live("c1")), Scripts.CUT);
		Set<Thread> before = threads();
		Set<Thread> opened = new HashSet<>();
		for (int i = 0; i < 5; i++) {
			try (QuorateClient client = builder(server).token(() -> "a").build()) {
				client.get("k");
				assertThat(client.at(watched.url()).watch(WatchOptions.key("k")).next(Duration.ofMinutes(1)))
					.isPresent();
				opened.addAll(threads());
			}
		}
		opened.removeAll(before);
		// At least the timer, and the one of the JDK.
		assertThat(opened).hasSizeGreaterThanOrEqualTo(2 * 5);
		// Before Java 21 the one of the JDK ends when the garbage collector has found
		// that the client is gone.
		await(() -> {
			System.gc();
			return opened.stream().noneMatch(Thread::isAlive) && before.containsAll(threads());
		});
	}

}
