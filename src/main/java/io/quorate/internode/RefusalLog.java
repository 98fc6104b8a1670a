package io.quorate.internode;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once of each reason that a node was refused; it tries again and again. */
final class RefusalLog {

	private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);

	/* Enough for every member; beyond it somebody invents names. */
	private static final int MAX_REMEMBERED = 256;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	void refused(String node, String mismatch) {
		if (isNew(node, mismatch)) {
			log.error("A connection of node '{}' is refused, {}", node, mismatch);
		}
	}

	/** Nobody knows yet who it was. */
	void refused(@Nullable SocketAddress from, String why) {
		String host = (from instanceof InetSocketAddress address) ? address.getHostString() : String.valueOf(from);
		if (isNew(host, why)) {
			log.error("A connection from {} is refused: {}", host, why);
		}
	}

	private boolean isNew(String who, String why) {
		return this.said.size() < MAX_REMEMBERED && this.said.add(who + " " + why);
	}

}
