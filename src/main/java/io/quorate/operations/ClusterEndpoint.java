package io.quorate.operations;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.change.ClusterChanges;
import io.quorate.membership.change.LayoutOverview;
import io.quorate.membership.change.PlannedChanges;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.reports.MemberReports;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code /actuator/cluster}: {@code GET} shows the layout of the cluster,
 * the versions that the members have adopted, the progress of the change that is under
 * way, and the reasons for which the next version is not decided; {@code POST .../add},
 * {@code remove}, {@code replace}, {@code replication} and {@code abort} change it. A
 * command answers 202 with the version that is decided and the plan of what moves, 200
 * with the plan when it is only to be tried, 409 when the change cannot be or the layout
 * has another version, 504 when it is not known whether it will be decided, 400 when a
 * parameter is missing, and 404 when there is no such command.
 */
@Component
@WebEndpoint(id = "cluster")
final class ClusterEndpoint {

	private static final int ACCEPTED = 202;

	private static final int CONFLICT = 409;

	private static final int GATEWAY_TIMEOUT = 504;

	private final LayoutAgreement agreement;

	private final MemberReports reports;

	private final LayoutOverview overview;

	private final PlannedChanges changes;

	ClusterEndpoint(LayoutAgreement agreement, MemberReports reports, LayoutOverview overview, PlannedChanges changes) {
		this.agreement = agreement;
		this.reports = reports;
		this.overview = overview;
		this.changes = changes;
	}

	/** Shows the layout. */
	@ReadOperation
	ClusterStatus status() {
		return ClusterStatus.of(this.agreement.status(this.reports), this.overview.replicationFactor(),
				this.overview.partitions(), this.overview.change().orElse(null));
	}

	/**
	 * Changes the layout. Waits until the change has begun, not until it is complete.
	 * @param version version of the layout that the operator has seen
	 * @param member member that joins, {@code id@host:port[/zone]}, or that goes, an id
	 * @param node for {@code replace}: the node that comes, {@code id@host:port[/zone]}
	 * @param dead whether the member that goes is declared dead
	 * @param dryRun whether nothing is to be proposed
	 * @param factor for {@code replication}: the replication factor
	 */
	@WriteOperation
	WebEndpointResponse<Map<String, Object>> change(@Selector String command, @Nullable Long version,
			@Nullable String member, @Nullable String node, @Nullable Boolean dead, @Nullable Boolean dryRun,
			@Nullable Integer factor) throws InterruptedException {
		if (version == null || isMissing(command, member, node, factor)) {
			return answer(WebEndpointResponse.STATUS_BAD_REQUEST,
					"a change needs version, and member (add, remove, replace), node (replace) or factor (replication)");
		}
		boolean isDead = Boolean.TRUE.equals(dead);
		boolean isDry = Boolean.TRUE.equals(dryRun);
		String named = (member != null) ? member : "";
		long seen = version;
		return switch (command) {
			case "add" -> begun(isDry, (changes) -> changes.add(named, seen));
			case "remove" -> begun(isDry, (changes) -> changes.remove(named, isDead, seen));
			case "replace" ->
				begun(isDry, (changes) -> changes.replace(named, (node != null) ? node : "", isDead, seen));
			case "replication" -> begun(isDry, (changes) -> changes.replication((factor != null) ? factor : 0, seen));
			case "abort" -> begun(isDry, (changes) -> changes.abort(seen));
			default -> answer(WebEndpointResponse.STATUS_NOT_FOUND,
					"there is no command '%s', but add, remove, replace, replication and abort".formatted(command));
		};
	}

	private static boolean isMissing(String command, @Nullable String member, @Nullable String node,
			@Nullable Integer factor) {
		return switch (command) {
			case "add", "remove" -> member == null;
			case "replace" -> member == null || node == null;
			case "replication" -> factor == null;
			default -> false;
		};
	}

	private WebEndpointResponse<Map<String, Object>> begun(boolean isDry,
			Function<ClusterChanges, CompletableFuture<LayoutVersion>> ask) throws InterruptedException {
		try {
			PlannedChanges.Planned change = this.changes.plan(ask);
			if (isDry) {
				return new WebEndpointResponse<>(body(change.toString(), change), WebEndpointResponse.STATUS_OK);
			}
			LayoutVersion decided = change.propose().get();
			Map<String, Object> body = body("%s is decided".formatted(decided), change);
			body.put("version", decided.version());
			return new WebEndpointResponse<>(body, ACCEPTED);
		}
		catch (ExecutionException failure) {
			if (failure.getCause() instanceof ChangeRefusedException refused
					&& refused.reason() != ChangeRefusedException.Reason.UNDECIDED) {
				return answer(CONFLICT, String.valueOf(refused.getMessage()));
			}
			return answer(GATEWAY_TIMEOUT, String.valueOf(failure.getCause()));
		}
	}

	private static Map<String, Object> body(String result, PlannedChanges.Planned change) {
		Map<String, Object> body = new LinkedHashMap<>();
		body.put("result",
				change.silent().isEmpty() ? result
						: "%s; the member that is declared dead may be heard by %s, without an answer in time"
							.formatted(result, String.join(", ", change.silent())));
		body.put("plan", ClusterPlan.of(change.plan(), change.silent()));
		return body;
	}

	private static WebEndpointResponse<Map<String, Object>> answer(int status, String result) {
		return new WebEndpointResponse<>(Map.of("result", result), status);
	}

}
