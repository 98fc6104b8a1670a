package io.quorate.operations;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/**
 * Shows the details of health only to clients on this machine, or to those with the right
 * to metrics, as long as the property says {@code when-authorized}, which it does by
 * default. An open node shows them if the server that answers listens on loopback only.
 */
final class HealthDetails implements HealthEndpointGroupsPostProcessor {

	private final boolean shown;

	private final boolean shownToClients;

	/**
	 * The details of a node.
	 * @param isOpen whether clients need no credentials: otherwise groups, which need
	 * none, show no details
	 */
	HealthDetails(HealthEndpointProperties health, ServerProperties server, ManagementServerProperties management,
			boolean isOpen) {
		InetAddress own = management.getAddress();
		this.shown = health.getShowDetails() == Show.WHEN_AUTHORIZED
				&& (!isOpen || isLoopback((own != null) ? own : server.getAddress()));
		this.shownToClients = this.shown && isOpen && isLoopback(server.getAddress());
	}

	private static boolean isLoopback(@Nullable InetAddress address) {
		return address != null && address.isLoopbackAddress();
	}

	/** Only groups can have paths on the port for clients. */
	@Override
	public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
		if (!this.shown) {
			return groups;
		}
		Map<String, HealthEndpointGroup> all = new LinkedHashMap<>();
		for (String name : groups.getNames()) {
			HealthEndpointGroup group = groups.get(name);
			if (group != null) {
				all.put(name, this.shownToClients ? new Shown(group) : group);
			}
		}
		return HealthEndpointGroups.of(new Shown(groups.getPrimary()), all);
	}

	/** A group that shows every detail to each client that reaches it. */
	private record Shown(HealthEndpointGroup group) implements HealthEndpointGroup {

		@Override
		public boolean isMember(String name) {
			return this.group.isMember(name);
		}

		@Override
		public boolean showComponents(SecurityContext securityContext) {
			return true;
		}

		@Override
		public boolean showDetails(SecurityContext securityContext) {
			return true;
		}

		@Override
		public StatusAggregator getStatusAggregator() {
			return this.group.getStatusAggregator();
		}

		@Override
		public HttpCodeStatusMapper getHttpCodeStatusMapper() {
			return this.group.getHttpCodeStatusMapper();
		}

		@Override
		public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
			return this.group.getAdditionalPath();
		}

	}

}
