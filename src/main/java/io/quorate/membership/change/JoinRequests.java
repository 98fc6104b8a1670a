package io.quorate.membership.change;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.HostPattern;
import io.quorate.membership.members.Layouts;
import org.jspecify.annotations.Nullable;

/**
 * The requests of candidates to have them join. A member that takes one proposes the same
 * change as for an operator: it connects to the candidate at the address that this has
 * given, and so learns whether the candidate is there. One joining is begun at a time; a
 * candidate asks again until it is a member. To ask waits for nothing; safe for any
 * number of threads.
 */
public final class JoinRequests {

	private final Layouts layouts;

	private final PlannedChanges changes;

	private final List<HostPattern> hosts;

	private final Executor executor;

	private @Nullable Attempt last;

	/**
	 * No requests yet.
	 * @param hosts hosts whose nodes may join by themselves
	 * @param executor runs the check and the plan of a joining, which wait
	 */
	public JoinRequests(Layouts layouts, PlannedChanges changes, List<HostPattern> hosts, Executor executor) {
		this.layouts = layouts;
		this.changes = changes;
		this.hosts = List.copyOf(hosts);
		this.executor = executor;
	}

	/**
	 * Takes the request of a candidate, or refuses it.
	 * @param node id of the node that asks
	 * @param candidate its address, {@code id@host:port[/zone]}
	 * @param objection finds the reason why the node does not prove to be of a host,
	 * {@code null} for none
	 * @return progress of its joining, or the reason against it, in words
	 */
	public CompletableFuture<String> ask(String node, String candidate,
			Function<String, CompletableFuture<@Nullable String>> objection) {
		Endpoint asking;
		try {
			asking = Endpoint.parse(candidate);
		}
		catch (IllegalArgumentException wrong) {
			return CompletableFuture.completedFuture(String.valueOf(wrong.getMessage()));
		}
		String against = refusal(node, asking);
		return (against != null) ? CompletableFuture.completedFuture(against)
				: objection.apply(asking.host()).thenApply((its) -> (its != null) ? its : begun(asking));
	}

	private @Nullable String refusal(String node, Endpoint asking) {
		if (!asking.id().equals(node)) {
			return "'%s' asks for another node, %s".formatted(node, asking);
		}
		if (this.hosts.isEmpty()) {
			return "an operator has to add it: quorate.cluster.join-hosts is not set here";
		}
		if (this.hosts.stream().noneMatch((host) -> host.covers(asking.host()))) {
			return "an operator has to add it: its host '%s' is none of quorate.cluster.join-hosts, %s"
				.formatted(asking.host(), this.hosts);
		}
		return null;
	}

	private String begun(Endpoint asking) {
		Layout now = this.layouts.current();
		if (now.hasMember(asking.id())) {
			return now.isJoint() ? "it joins by version %d of the layout".formatted(now.version()) : "it is a member";
		}
		if (!this.layouts.isMember()) {
			return "%s is no member itself".formatted(this.layouts.self());
		}
		if (now.isJoint()) {
			return "another change of the members is under way";
		}
		return begun(asking, now.version());
	}

	private synchronized String begun(Endpoint asking, long version) {
		Attempt before = this.last;
		boolean isOwn = before != null && before.node().equals(asking);
		if (before != null && !before.outcome().isDone()) {
			return isOwn ? "its joining begins" : "the joining of %s begins first".formatted(before.node().id());
		}
		CompletableFuture<LayoutVersion> outcome = CompletableFuture
			.supplyAsync(() -> planned(asking, version), this.executor)
			.thenCompose(PlannedChanges.Planned::propose);
		this.last = new Attempt(asking, outcome);
		return (isOwn && before != null && before.outcome().isCompletedExceptionally())
				? "its joining begins anew: %s".formatted(reason(before.outcome().exceptionNow()))
				: "its joining begins";
	}

	private PlannedChanges.Planned planned(Endpoint asking, long version) {
		try {
			return this.changes.plan((its) -> its.add(asking.toString(), version, "the node itself"));
		}
		catch (ExecutionException failure) {
			throw new CompletionException(failure.getCause());
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
			throw new CompletionException(stopped);
		}
	}

	private static String reason(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof ChangeRefusedException refused) ? String.valueOf(refused.getMessage())
				: cause.toString();
	}

	private record Attempt(Endpoint node, CompletableFuture<LayoutVersion> outcome) {
	}

}
