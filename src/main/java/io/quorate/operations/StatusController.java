package io.quorate.operations;

import io.quorate.security.access.AccessOverview;
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

	private final NodeLabel node;

	private final ApplicationAvailability availability;

	private final ClusterHealth health;

	private final StoreHealth store;

	private final AccessOverview access;

	StatusController(NodeLabel node, ApplicationAvailability availability, ClusterHealth health, StoreHealth store,
			AccessOverview access) {
		this.node = node;
		this.availability = availability;
		this.health = health;
		this.store = store;
		this.access = access;
	}

	@GetMapping("/v0/status")
	ResponseEntity<NodeStatus> status() {
		boolean ready = this.availability.getReadinessState() == ReadinessState.ACCEPTING_TRAFFIC
				&& this.health.isReady() && this.store.isUp();
		return ResponseEntity.ok()
			.contentType(MediaType.APPLICATION_JSON)
			.body(new NodeStatus(this.node.node(), this.node.cluster(), this.node.version(),
					ready ? "ready" : "not-ready", this.access.isOpen(), this.health.conflicts()));
	}

}
