package io.quorate.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.members.ClusterProperties;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.members.NodeProperties;
import io.quorate.membership.reports.NodeVersion;
import io.quorate.security.SecurityProperties;
import io.quorate.security.access.AccessOverview;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StoreIdentity;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointProperties;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ ManagementServerProperties.class, OperationsProperties.class })
class OperationsConfiguration {

	@Bean
	@ConditionalOnManagementPort(ManagementPortType.SAME)
	AdminPath adminPath(WebEndpointProperties endpoints) {
		return new AdminPath(endpoints.getBasePath(), true);
	}

	/** The endpoints are on another port then: there are none beside the protocol. */
	@Bean
	@ConditionalOnManagementPort(ManagementPortType.DIFFERENT)
	AdminPath otherPort(WebEndpointProperties endpoints) {
		return new AdminPath(endpoints.getBasePath(), false);
	}

	@Bean
	@ConditionalOnManagementPort(ManagementPortType.DISABLED)
	AdminPath noPort() {
		return new AdminPath("", false);
	}

	@Bean
	NodeLabel nodeLabel(NodeProperties node, ClusterProperties cluster, NodeVersion version) {
		return new NodeLabel(node.id(), cluster.name(), version.version());
	}

	OperationsConfiguration(ServerProperties server, ManagementServerProperties management, SecurityProperties security,
			SslProperties ssl) {
		OpenPorts.require(server, management, security.access() != null, security.open());
		PrivateKeys.warnOfReaders(ssl);
		RuntimeAge.sayIfOld();
	}

	@Bean
	StartLine startLine(NodeLabel node, Layouts layouts, StorageProperties storage, ServerProperties server,
			SecurityProperties security) {
		return new StartLine(node, layouts, storage.directory(), server, security.access() != null);
	}

	@Bean
	HealthDetails healthDetails(HealthEndpointProperties health, ServerProperties server,
			ManagementServerProperties management, AccessOverview access) {
		return new HealthDetails(health, server, management, access.isOpen());
	}

	@Bean
	StartTime startTime(Membership membership) {
		StartTime start = new StartTime();
		membership.onMajority(start::majorityMet);
		return start;
	}

	/** Spring calls it before any bean gets the registry: all series have these tags. */
	@Bean
	MeterRegistryCustomizer<MeterRegistry> whoseSeriesTheseAre(NodeProperties node, ClusterProperties cluster) {
		return (registry) -> registry.config().commonTags("node", node.id(), "cluster", cluster.name());
	}

	/**
	 * Follows the layouts after the one that this node has started with.
	 * @param agreement has adopted that one
	 */
	@Bean
	RemovedNode removedNode(Layouts layouts, Membership membership, StoreIdentity identity, LayoutAgreement agreement,
			ClusterProperties cluster) {
		RemovedNode removed = new RemovedNode(layouts::hasLeft, membership::hasMetMajority, identity,
				() -> System.exit(1));
		if (layouts.mayBeginAnew(cluster)) {
			layouts.follow(removed);
		}
		return removed;
	}

	@Bean
	Drain drain(OperationsProperties properties, Membership membership) {
		return new Drain(properties.drainDelay(), membership);
	}

	@Bean
	NodeMetrics nodeMetrics(HealthEndpoint health, NodeVersion version, StartTime start) {
		return new NodeMetrics(health, version, start);
	}

}
