package io.quorate.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quorate.internode.FreezableProxy;

/**
 * The links between nodes, one for each direction in which they connect. Each node finds
 * the others by names that lead to links of its own. A link that is cut keeps what is
 * sent. Used by one thread.
 */
final class Links implements AutoCloseable {

	private static final String LOOPBACK = "127.0.0.1";

	private final Map<String, Path> hosts = new HashMap<>();

	private final Map<String, FreezableProxy> links = new HashMap<>();

	private Links() {
	}

	/**
	 * Links between nodes that listen on loopback.
	 * @param ports their ports, in the order of the names
	 * @param home directory of the files with names that they need
	 */
	static Links between(Collection<String> names, List<Integer> ports, Path home) throws IOException {
		Links made = new Links();
		List<String> nodes = List.copyOf(names);
		for (int from = 0; from < nodes.size(); from++) {
			List<String> lines = new ArrayList<>(List.of(LOOPBACK + " localhost"));
			for (int to = 0; to < nodes.size(); to++) {
				String address = (from == to) ? LOOPBACK : "127.1.%d.%d".formatted(from + 1, to + 1);
				lines.add(address + " " + host(nodes.get(to)));
				if (from != to) {
					made.links.put(nodes.get(from) + nodes.get(to),
							new FreezableProxy(InetAddress.ofLiteral(address), ports.get(to), ports.get(to)));
				}
			}
			Path file = home.resolve(nodes.get(from) + ".hosts");
			made.hosts.put(nodes.get(from), Files.write(file, lines));
		}
		return made;
	}

	/** The name of a node's host. */
	static String host(String name) {
		return name + ".quorate.test";
	}

	/** The file by which a node finds the others. */
	Path hosts(String name) {
		return link(this.hosts, name);
	}

	private static <T> T link(Map<String, T> map, String name) {
		T found = map.get(name);
		if (found == null) {
			throw new IllegalArgumentException("no " + name + " among " + map.keySet());
		}
		return found;
	}

	/** Cuts the link by which a node connects to another one. */
	void cut(String from, String to) {
		link(this.links, from + to).freeze();
	}

	/**
	 * Mends all links.
	 * @param loses whether all that was sent meanwhile is lost, with the connections
	 */
	void mend(boolean loses) throws IOException {
		for (FreezableProxy link : this.links.values()) {
			if (loses && link.isFrozen()) {
				link.cut();
			}
			link.thaw();
		}
	}

	@Override
	public void close() {
		try {
			for (FreezableProxy link : this.links.values()) {
				link.close();
			}
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

}
