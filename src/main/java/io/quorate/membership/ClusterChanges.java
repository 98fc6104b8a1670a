package io.quorate.membership;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.quorate.membership.ChangeRefusedException.Reason;

/**
 * The changes of members that operators ask for. A change begins when its first layout is
 * decided, and goes on by itself. Nothing here waits; safe for any number of threads.
 */
public final class ClusterChanges {

	/**
	 * Time for which a member that is declared dead has to be disconnected: a break of
	 * the network, or a restart, is over by then.
	 */
	static final Duration AWAY = Duration.ofSeconds(10);

	private static final String BY = "an operator";

	private final Layouts layouts;

	private final Membership membership;

	private final LayoutProposals proposals;

	private final CandidateContact candidates;

	ClusterChanges(Layouts layouts, Membership membership, LayoutProposals proposals, CandidateContact candidates) {
		this.layouts = layouts;
		this.membership = membership;
		this.proposals = proposals;
		this.candidates = candidates;
	}

	/** The same changes, proposed to another part than that which decides. */
	ClusterChanges proposedTo(LayoutProposals other) {
		return new ClusterChanges(this.layouts, this.membership, other, this.candidates);
	}

	/**
	 * Has a node join. It has to run as a candidate ({@code quorate.cluster.join}).
	 * @param node {@code id@host:port[/zone]}
	 * @param version version of the layout that the operator has seen
	 * @return the version that begins the change, once it is decided; fails with a
	 * {@link ChangeRefusedException}
	 */
	public CompletableFuture<LayoutVersion> add(String node, long version) {
		return add(node, version, BY);
	}

	/**
	 * As above.
	 * @param by operator or node that asks for it, in words
	 */
	CompletableFuture<LayoutVersion> add(String node, long version, String by) {
		return proposed(version, () -> {
			Endpoint candidate = endpoint(node);
			requireOthersUp("");
			return with(candidate, version, by, (storageId) -> new ChangeRequest.Add(candidate, storageId));
		});
	}

	/**
	 * Has a member leave.
	 * @param isDead whether it is declared dead: then the change does not wait for it
	 * @param version as above
	 * @return as above
	 */
	public CompletableFuture<LayoutVersion> remove(String member, boolean isDead, long version) {
		return proposed(version, () -> {
			requireOthersUp(isDead ? requireAway(member) : "");
			return this.proposals.propose(new ChangeRequest.Remove(member, isDead), version, BY);
		});
	}

	/**
	 * Has a member leave that is not dead.
	 * @param version as above
	 * @param by operator or node that asks for it, in words
	 * @return as above
	 */
	CompletableFuture<LayoutVersion> remove(String member, long version, String by) {
		return proposed(version, () -> {
			requireOthersUp("");
			return this.proposals.propose(new ChangeRequest.Remove(member, false), version, by);
		});
	}

	/**
	 * Has a node take the place of a member.
	 * @param node node that comes, as above
	 * @param isDead whether the member that goes is declared dead
	 * @param version as above
	 * @return as above
	 */
	public CompletableFuture<LayoutVersion> replace(String member, String node, boolean isDead, long version) {
		return proposed(version, () -> {
			Endpoint candidate = endpoint(node);
			requireOthersUp(isDead ? requireAway(member) : "");
			return with(candidate, version, BY,
					(storageId) -> new ChangeRequest.Replace(member, candidate, storageId, isDead));
		});
	}

	/**
	 * Changes the replication factor. Entries that were written to all replicas of their
	 * keys are held by as many as it then names; those of fewer copies stay so.
	 * @param factor one more or one less than it is
	 * @param version as above
	 * @return as above
	 */
	public CompletableFuture<LayoutVersion> replication(int factor, long version) {
		return proposed(version, () -> {
			requireOthersUp("");
			return this.proposals.propose(new ChangeRequest.Replication(factor), version, BY);
		});
	}

	/**
	 * Gives up the change that is under way.
	 * @param version as above
	 * @return the version that ends it, as above
	 */
	public CompletableFuture<LayoutVersion> abort(long version) {
		return proposed(version, () -> this.proposals.propose(new ChangeRequest.Abort(), version, BY));
	}

	private CompletableFuture<LayoutVersion> proposed(long version, Step step) {
		try {
			long adopted = this.layouts.current().version();
			if (adopted != version) {
				throw new ChangeRefusedException(Reason.OVERTAKEN,
						"the layout has version %d, not %d".formatted(adopted, version), null);
			}
			if (this.layouts.configured().endpoints().size() < 2) {
				throw refused("a node alone has no peers that could vote: start with two members at least");
			}
			return step.begin();
		}
		catch (ChangeRefusedException refused) {
			return CompletableFuture.failedFuture(refused);
		}
	}

	private CompletableFuture<LayoutVersion> with(Endpoint candidate, long version, String by,
			Function<UUID, ChangeRequest> change) {
		return this.candidates.meet(candidate).exceptionallyCompose((failure) -> {
			Throwable cause = (failure instanceof CompletionException && failure.getCause() != null)
					? failure.getCause() : failure;
			return CompletableFuture
				.failedFuture(refused("%s is not reached as a candidate: %s".formatted(candidate, cause.getMessage())));
		}).thenCompose((met) -> {
			requireNew(candidate.id(), met);
			return this.proposals.propose(change.apply(met.storageId()), version, by);
		});
	}

	/*
	 * What is left in a used directory would count as copied, and votes in it as given. A
	 * candidate that was met before may have learned layouts of this cluster.
	 */
	private void requireNew(String candidate, CandidateContact.Candidate its) {
		LayoutVersion theirs = its.adopted();
		if (theirs != null && theirs.version() > this.layouts.current().version()) {
			throw refused("%s has adopted %s of a layout, later than this cluster has: it is of another cluster"
				.formatted(candidate, theirs));
		}
		if (its.hasData()) {
			throw refused("the directory of %s has data, of a member that has left or of another cluster: %s"
				.formatted(candidate, LayoutAdoption.WITH_AN_EMPTY_ONE));
		}
	}

	/* A node of the configuration is reached at the address that each node has there. */
	private Endpoint endpoint(String node) {
		try {
			Endpoint candidate = Endpoint.parse(node);
			Endpoint known = this.layouts.configured().endpointOf(candidate.id());
			if (known != null && !known.equals(candidate)) {
				throw refused("the configuration has %s: take another id for another address".formatted(known));
			}
			if (this.layouts.current().hasMember(candidate.id())) {
				throw refused("%s is a member".formatted(candidate.id()));
			}
			return candidate;
		}
		catch (IllegalArgumentException wrong) {
			throw refused(String.valueOf(wrong.getMessage()));
		}
	}

	/*
	 * A change would wait for a member that is away. One that is being rebuilt lacks what
	 * others would copy from it.
	 */
	private void requireOthersUp(String dead) {
		for (Map.Entry<String, MemberState> member : this.membership.states().entrySet()) {
			boolean isNeeded = this.layouts.current().hasMember(member.getKey()) && !member.getKey().equals(dead);
			if (isNeeded && member.getValue() != MemberState.UP) {
				throw refused("%s is %s: wait until it is up, or declare the member that goes dead"
					.formatted(member.getKey(), member.getValue().word()));
			}
			if (isNeeded && this.membership.isRebuilding(member.getKey())) {
				throw refused("%s is being rebuilt: wait until it has its data".formatted(member.getKey()));
			}
		}
	}

	private String requireAway(String member) {
		if (this.membership.stateOf(member) != MemberState.DISCONNECTED) {
			throw refused("%s is %s: a member that can be reached is not dead, stop it first".formatted(member,
					this.membership.stateOf(member).word()));
		}
		Duration away = this.membership.disconnectedFor(member);
		if (this.layouts.current().hasMember(member) && away.compareTo(AWAY) < 0) {
			throw refused("%s is disconnected for %d s: it may be declared dead after %d s".formatted(member,
					away.toSeconds(), AWAY.toSeconds()));
		}
		return member;
	}

	private static ChangeRefusedException refused(String why) {
		return new ChangeRefusedException(Reason.IMPOSSIBLE, why, null);
	}

	/** The first step of a change. */
	private interface Step {

		CompletableFuture<LayoutVersion> begin();

	}

}
