package io.quorate.consensus;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The voters of one decision.
 *
 * @param voters voters, one at least
 * @param needed number of voters that a decision needs: more than half of them
 * @param isByAllToo whether the nodes of all voters decide, too, whatever the storage ids
 * of their directories
 */
public record Electorate(Set<Voter> voters, int needed, boolean isByAllToo) {

	public Electorate(Set<Voter> voters, int needed) {
		this(voters, needed, false);
	}

	public Electorate {
		voters = Set.copyOf(voters);
		if (2 * needed <= voters.size() || needed > voters.size()) {
			throw new IllegalArgumentException("%d votes of %d decide nothing".formatted(needed, voters.size()));
		}
	}

	/** Voters of whom a majority decides. */
	public static Electorate majorityOf(Set<Voter> voters) {
		return new Electorate(voters, voters.size() / 2 + 1);
	}

	/**
	 * Nodes that decide together, whatever the storage ids of their directories: the
	 * voters of the first decision, which no decision has named. A node that has lost its
	 * disk in the midst votes as if it had not, but all the others remember what it has
	 * promised.
	 */
	public static Electorate allOf(Set<String> nodes) {
		return new Electorate(
				nodes.stream().map((id) -> new Voter(id, Voter.ANY_LIFE)).collect(Collectors.toUnmodifiableSet()),
				nodes.size());
	}

	/**
	 * The same voters, where the nodes of all of them decide, too, whatever the storage
	 * ids of their directories: for a cluster whose directories were all restored from
	 * backups. As long as a majority of the named directories is there, a vote of theirs
	 * is among those of all, so that both ways lead to one content.
	 */
	Electorate orAll() {
		return new Electorate(this.voters, this.needed, true);
	}

	/**
	 * The voter that a node with this life of its directory votes as, or {@code null}.
	 */
	@Nullable Voter named(Voter node) {
		if (this.voters.contains(node)) {
			return node;
		}
		Voter ofAnyLife = new Voter(node.id(), Voter.ANY_LIFE);
		return this.voters.contains(ofAnyLife) || (this.isByAllToo && isOfAVoter(node.id())) ? ofAnyLife : null;
	}

	/** Whether a voter is a life of this node's directory. */
	boolean isOfAVoter(String id) {
		return this.voters.stream().anyMatch((voter) -> voter.id().equals(id));
	}

	/** Whether a node with this life of its directory may vote. */
	public boolean names(Voter node) {
		return named(node) != null;
	}

	/** Whether these voters, all of them named, decide. */
	boolean isEnough(Collection<Voter> some) {
		return some.stream().filter(this.voters::contains).count() >= this.needed
				|| (this.isByAllToo && ids(some).containsAll(ids(this.voters)));
	}

	private static Set<String> ids(Collection<Voter> some) {
		return some.stream().map(Voter::id).collect(Collectors.toSet());
	}

}
