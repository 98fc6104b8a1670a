package io.quorate.membership.change;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quorate.membership.agreement.FormerMemberException;
import io.quorate.membership.agreement.LayoutProposals;
import io.quorate.membership.layout.ChangeRefusedException.Reason;
import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.ChangeRequest;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutVersion;
import io.quorate.membership.members.Layouts;

/**
 * The changes of members that operators ask for. A change begins when its first layout is
 * decided, and goes on by itself. Nothing here waits; safe for any number of threads.
 */
public final class ClusterChanges {

	private static final String BY = "an operator";

	private final Layouts layouts;

	private final ChangeConditions conditions;

	private final LayoutProposals proposals;

	private final CandidateContact candidates;

	private final Consumer<List<String>> silent;

	ClusterChanges(Layouts layouts, ChangeConditions conditions, LayoutProposals proposals,
			CandidateContact candidates) {
		this(layouts, conditions, proposals, candidates, (_) -> {
		});
	}

	private ClusterChanges(Layouts layouts, ChangeConditions conditions, LayoutProposals proposals,
			CandidateContact candidates, Consumer<List<String>> silent) {
		this.layouts = layouts;
		this.conditions = conditions;
		this.proposals = proposals;
		this.candidates = candidates;
		this.silent = silent;
	}

	/**
	 * The same changes, proposed to another part than that which decides.
	 * @param silent receives, before a proposal, the members that have not answered
	 * whether they hear the one that is declared dead
	 */
	ClusterChanges proposedTo(LayoutProposals other, Consumer<List<String>> silent) {
		return new ClusterChanges(this.layouts, this.conditions, other, this.candidates, silent);
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
			this.conditions.requireOthersUp("");
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
			return leaving(member, isDead)
				.thenCompose((_) -> this.proposals.propose(new ChangeRequest.Remove(member, isDead), version, BY));
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
			this.conditions.requireOthersUp("");
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
			return leaving(member, isDead).thenCompose((_) -> with(candidate, version, BY,
					(storageId) -> new ChangeRequest.Replace(member, candidate, storageId, isDead)));
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
			this.conditions.requireOthersUp("");
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
			if (this.layouts.own() == null) {
				throw refused("this node has no address for other members: start it again with its own in"
						+ " quorate.cluster.members, such as quorate.cluster.members=%s@host:7100"
							.formatted(this.layouts.self()));
			}
			return step.begin();
		}
		catch (ChangeRefusedException refused) {
			return CompletableFuture.failedFuture(refused);
		}
	}

	/* The members that stay can do without the one that goes. */
	private CompletableFuture<Void> leaving(String member, boolean isDead) {
		CompletableFuture<List<String>> declared = isDead ? this.conditions.requireDead(member)
				: CompletableFuture.completedFuture(List.of());
		return declared.thenAccept((unanswered) -> {
			this.conditions.requireOthersUp(isDead ? member : "");
			this.silent.accept(unanswered);
		});
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
			throw new ChangeRefusedException(Reason.OVERTAKEN,
					"%s has adopted %s of a layout, later than this node has: ask again, and if that stays so, it is of another cluster"
						.formatted(candidate, theirs),
					null);
		}
		if (its.hasData()) {
			throw refused("the directory of %s has data, of a member that has left or of another cluster: %s"
				.formatted(candidate, FormerMemberException.WITH_AN_EMPTY_ONE));
		}
	}

	/* A node of the configuration is reached at the address that each node has there. */
	private Endpoint endpoint(String node) {
		return candidate(node, this.layouts);
	}

	/**
	 * Address of a node that may become a member.
	 * @throws ChangeRefusedException when there is no such address, or the node is a
	 * member
	 */
	static Endpoint candidate(String node, Layouts layouts) {
		try {
			Endpoint candidate = Endpoint.parse(node);
			Endpoint known = layouts.configured().endpointOf(candidate.id());
			if (known != null && !known.equals(candidate)) {
				throw refused("the configuration has %s: take another id for another address".formatted(known));
			}
			if (layouts.current().hasMember(candidate.id())) {
				throw refused("%s is a member".formatted(candidate.id()));
			}
			return candidate;
		}
		catch (IllegalArgumentException wrong) {
			throw refused(String.valueOf(wrong.getMessage()));
		}
	}

	private static ChangeRefusedException refused(String why) {
		return new ChangeRefusedException(Reason.IMPOSSIBLE, why, null);
	}

	/** The first step of a change. */
	private interface Step {

		CompletableFuture<LayoutVersion> begin();

	}

}
