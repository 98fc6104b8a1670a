package io.quorate.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Ports that nobody listens on, for servers whose port must be known before they start.
 * They are taken from below those that the system gives out by itself: otherwise a
 * connection of anybody could get one while its server is down. None is given out again
 * before half of all others: a server may be down, or not have begun to listen.
 */
final class FreePorts {

	private static final int LOWEST = 10_240;

	private static final int FEWEST = 1024;

	private static final int ATTEMPTS = 1000;

	private static final int FORKS = 4;

	private static final SequencedSet<Integer> GIVEN = new LinkedHashSet<>();

	private FreePorts() {
	}

	/** So many different ports. */
	static List<Integer> any(int count) throws IOException {
		List<Integer> ports = new ArrayList<>();
		while (ports.size() < count) {
			ports.add(first(1));
		}
		return ports;
	}

	/** The first of so many ports in a row. */
	static synchronized int first(int count) throws IOException {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			int first = lowest() + ThreadLocalRandom.current().nextInt(share() - count);
			if (IntStream.range(first, first + count).allMatch(FreePorts::isFree)) {
				give(first, count);
				return first;
			}
		}
		throw new IllegalStateException("no free ports found");
	}

	private static void give(int first, int count) throws IOException {
		IntStream.range(first, first + count).forEach(GIVEN::add);
		while (GIVEN.size() > share() / 2) {
			GIVEN.removeFirst();
		}
	}

	private static int lowest() throws IOException {
		return LOWEST + (BuiltNode.FORK - 1) % FORKS * share();
	}

	/* A server that is down gets its port back: no other JVM with tests takes it. */
	private static int share() throws IOException {
		return (end() - LOWEST) / FORKS;
	}

	private static int end() throws IOException {
		Path range = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
		// By lines: such a file has nothing for a second read, and the first of a string
		// is for one byte.
		int end = Files.exists(range)
				? Integer.parseInt(Files.readAllLines(range).getFirst().strip().split("\\s+", -1)[0]) : 32_768;
		return Math.max(end, LOWEST + FEWEST);
	}

	private static boolean isFree(int port) {
		if (GIVEN.contains(port)) {
			return false;
		}
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException taken) {
			return false;
		}
	}

}
