package io.quorate.operations;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/**
 * The check of the addresses for HTTP at the start: a node that asks for no credentials
 * serves other machines only if an operator has said so.
 */
final class OpenPorts {

	private static final Logger logger = LoggerFactory.getLogger(OpenPorts.class);

	private OpenPorts() {
	}

	/**
	 * Requires that the node is closed, or on loopback, or open on purpose.
	 * @param isClosed whether there is an access file
	 * @param isMeant whether the operator has said that the node is open
	 * @throws OpenPortException when it is none of them
	 */
	static void require(ServerProperties server, ManagementServerProperties management, boolean isClosed,
			boolean isMeant) {
		String port = port(server.getAddress(), management);
		if (isClosed || port == null) {
			return;
		}
		if (!isMeant) {
			throw new OpenPortException(
					"%s is not loopback, and clients need no credentials: each of them could do everything"
						.formatted(port));
		}
		logger.warn(
				"{} is not loopback, and clients need no credentials (quorate.security.open): each of them can do everything",
				port);
	}

	private static @Nullable String port(@Nullable InetAddress clients, ManagementServerProperties management) {
		if (isReached(clients)) {
			return "server.address";
		}
		InetAddress own = management.getAddress();
		return (own != null && isReached(own)) ? "management.server.address" : null;
	}

	private static boolean isReached(@Nullable InetAddress address) {
		return address == null || !address.isLoopbackAddress();
	}

}
