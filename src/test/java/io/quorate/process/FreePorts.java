package io.quorate.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Ports that nobody listens on, for servers whose port must be known before they start.
 * They are taken from below those that the system gives out by itself: otherwise a
 * connection of anybody could get one while its server is down.
 */
final class FreePorts {

	private static final int LOWEST = 10_240;

	private static final int FEWEST = 1024;

	private static final int ATTEMPTS = 1000;

	private static final int FORKS = 4;

	private FreePorts() {
	}

	/** So many different ports. */
	static List<Integer> any(int count) throws IOException {
		List<Integer> ports = new ArrayList<>();
		for (int attempt = 0; ports.size() < count && attempt < ATTEMPTS; attempt++) {
			int port = lowest() + ThreadLocalRandom.current().nextInt(share());
			if (!ports.contains(port) && isFree(port)) {
				ports.add(port);
			}
		}
		return requireFound(ports, count);
	}

	/** The first of so many ports in a row. */
	static int first(int count) throws IOException {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			int first = lowest() + ThreadLocalRandom.current().nextInt(share() - count);
			if (IntStream.range(first, first + count).allMatch(FreePorts::isFree)) {
				return first;
			}
		}
		return requireFound(List.of(), 1).getFirst();
	}

	private static List<Integer> requireFound(List<Integer> ports, int count) {
		if (ports.size() < count) {
			throw new IllegalStateException("no free ports found");
		}
		return ports;
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
		int end = Files.exists(range) ? Integer.parseInt(Files.readString(range).strip().split("\\s+", -1)[0]) : 32_768;
		return Math.max(end, LOWEST + FEWEST);
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException taken) {
			return false;
		}
	}

}
