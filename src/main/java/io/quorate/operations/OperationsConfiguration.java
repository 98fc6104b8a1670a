package io.quorate.operations;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.membership.ClusterProperties;
import io.quorate.membership.Departure;
import io.quorate.membership.LayoutAgreement;
import io.quorate.membership.Membership;
import io.quorate.membership.NodeProperties;
import io.quorate.membership.NodeVersion;
import io.quorate.membership.StopPermission;
import io.quorate.membership.Layouts;
import io.quorate.security.SecurityProperties;
import io.quorate.security.access.AccessOverview;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StoreIdentity;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.server.ConditionalOnManagementPort;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointProperties;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ ManagementServerProperties.class, OperationsProperties.class,
		ScaleDownProperties.class })
class OperationsConfiguration {

	/* Status of a process that its supervisor has killed. */
	private static final int KILLED = 137;

	/* The stop goes on without the answer. */
	private static final Duration API_ANSWER = Duration.ofSeconds(2);

	/* An API server that restarts, or a name that is not resolved at once. */
	private static final Duration API_PATIENCE = Duration.ofSeconds(10);

	private static final Duration API_PAUSE = Duration.ofSeconds(1);

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
	 * A stop has ended when nothing is open any more.
	 * @param locked the lock of the directory, without which its files must not be read
	 */
	@Bean
	LastStop lastStop(StorageProperties storage, StoreIdentity locked, OperationsProperties properties,
			ScaleDownProperties scaleDown) {
		LastStop stop = LastStop.in(storage.directory(), SpringApplication.getShutdownHandlers());
		if (scaleDown.isOn()) {
			stop.haltAfter(properties.stopLimit(), () -> Runtime.getRuntime().halt(KILLED));
		}
		return stop;
	}

	@Bean
	ScaleDown scaleDown(NodeProperties node, ScaleDownProperties properties, Departure departure) {
		return new ScaleDown(node.id(), properties, new KubernetesApi(properties.apiServer(), properties.credentials(),
				API_ANSWER, API_PATIENCE, API_PAUSE)::scaleOf, departure);
	}

	/**
	 * Follows the layouts after the one that this node has started with.
	 * @param agreement has adopted that one
	 */
	@Bean
	RemovedNode removedNode(Layouts layouts, StoreIdentity identity, LayoutAgreement agreement,
			ClusterProperties cluster) {
		RemovedNode removed = new RemovedNode(layouts::hasLeft, identity, () -> System.exit(1));
		if (layouts.mayBeginAnew(cluster)) {
			layouts.follow(removed);
		}
		return removed;
	}

	@Bean
	Drain drain(OperationsProperties properties, ScaleDown scaleDown, StopPermission lease, Membership membership,
			LastStop stop) {
		return new Drain(properties, scaleDown, lease, membership, stop);
	}

	@Bean
	NodeMetrics nodeMetrics(HealthEndpoint health, NodeVersion version, StartTime start, LastStop stop,
			OperationsProperties properties) {
		return new NodeMetrics(health, version, start, stop, properties.stopLimit());
	}

}
