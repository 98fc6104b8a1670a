package io.quorate.operations;

import io.quorate.membership.ClusterProperties;
import io.quorate.membership.NodeProperties;
import io.quorate.membership.NodeVersion;

import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers {@code GET /v0/status}. The server starts after the engine has opened, so any
 * answer means that it has; peers are not asked.
 */
@RestController
final class StatusController {

	private final NodeProperties node;

	private final ClusterProperties cluster;

	private final String version;

	private final ApplicationAvailability availability;

	private final ClusterHealth health;

	StatusController(NodeProperties node, ClusterProperties cluster, NodeVersion version,
			ApplicationAvailability availability, ClusterHealth health) {
		this.node = node;
		this.cluster = cluster;
		this.version = version.version();
		this.availability = availability;
		this.health = health;
	}

	@GetMapping("/v0/status")
	ResponseEntity<NodeStatus> status() {
		boolean ready = this.availability.getReadinessState() == ReadinessState.ACCEPTING_TRAFFIC
				&& this.health.isReady();
		return ResponseEntity.ok()
			.contentType(MediaType.APPLICATION_JSON)
			.body(new NodeStatus(this.node.id(), this.cluster.name(), this.version, ready ? "ready" : "not-ready"));
	}

}
