package io.quorate.operations;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.quorate.membership.ChangeRefusedException;
import io.quorate.membership.ClusterChanges;
import io.quorate.membership.LayoutAgreement;
import io.quorate.membership.LayoutVersion;
import io.quorate.membership.MemberReports;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.stereotype.Component;

/**
 * The endpoint {@code /actuator/cluster}: {@code GET} shows the layout of the cluster,
 * the versions that the members have adopted, and the reasons for which the next one is
 * not decided; {@code POST .../add}, {@code remove}, {@code replace} and {@code abort}
 * change its members. A command answers 202 with the version that is decided, 409 when
 * the change cannot be or the layout has another version, 504 when it is not known
 * whether it will be decided, 400 when a parameter is missing, and 404 when there is no
 * such command.
 */
@Component
@WebEndpoint(id = "cluster")
final class ClusterEndpoint {

	private static final int ACCEPTED = 202;

	private static final int CONFLICT = 409;

	private static final int GATEWAY_TIMEOUT = 504;

	private final LayoutAgreement agreement;

	private final MemberReports reports;

	private final ClusterChanges changes;

	ClusterEndpoint(LayoutAgreement agreement, MemberReports reports, ClusterChanges changes) {
		this.agreement = agreement;
		this.reports = reports;
		this.changes = changes;
	}

	/** Shows the layout. */
	@ReadOperation
	ClusterStatus status() {
		return ClusterStatus.of(this.agreement.status(this.reports));
	}

	/**
	 * Changes the members. Waits until the change has begun, not until it is complete.
	 * @param version version of the layout that the operator has seen
	 * @param member member that joins, {@code id@host:port[/zone]}, or that goes, an id
	 * @param node for {@code replace}: the node that comes, {@code id@host:port[/zone]}
	 * @param dead whether the member that goes is declared dead
	 * @param factor for {@code replication}: the replication factor
	 */
	@WriteOperation
	WebEndpointResponse<Map<String, Object>> change(@Selector String command, @Nullable Long version,
			@Nullable String member, @Nullable String node, @Nullable Boolean dead, @Nullable Integer factor)
			throws InterruptedException {
		if (version == null || isMissing(command, member, node, factor)) {
			return answer(WebEndpointResponse.STATUS_BAD_REQUEST,
					"a change needs version, and member (add, remove, replace), node (replace) or factor (replication)");
		}
		boolean isDead = Boolean.TRUE.equals(dead);
		String named = (member != null) ? member : "";
		return switch (command) {
			case "add" -> begun(this.changes.add(named, version));
			case "remove" -> begun(this.changes.remove(named, isDead, version));
			case "replace" -> begun(this.changes.replace(named, (node != null) ? node : "", isDead, version));
			case "replication" -> begun(this.changes.replication((factor != null) ? factor : 0, version));
			case "abort" -> begun(this.changes.abort(version));
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

	private static WebEndpointResponse<Map<String, Object>> begun(CompletableFuture<LayoutVersion> change)
			throws InterruptedException {
		try {
			LayoutVersion decided = change.get();
			return new WebEndpointResponse<>(
					Map.of("result", "%s is decided".formatted(decided), "version", decided.version()), ACCEPTED);
		}
		catch (ExecutionException failure) {
			if (failure.getCause() instanceof ChangeRefusedException refused
					&& refused.reason() != ChangeRefusedException.Reason.UNDECIDED) {
				return answer(CONFLICT, String.valueOf(refused.getMessage()));
			}
			return answer(GATEWAY_TIMEOUT, String.valueOf(failure.getCause()));
		}
	}

	private static WebEndpointResponse<Map<String, Object>> answer(int status, String result) {
		return new WebEndpointResponse<>(Map.of("result", result), status);
	}

}
