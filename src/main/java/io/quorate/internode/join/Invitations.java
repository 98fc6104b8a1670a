package io.quorate.internode.join;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Consumer;

import io.quorate.membership.layout.Endpoint;

/**
 * The invitations of candidates, which may connect to this node while they hold one. A
 * candidate may hold several, as each meeting with it gives it one: it is uninvited with
 * the last of them, and until then reached at the address of the newest. Safe for any
 * number of threads; to ask takes no lock.
 */
public final class Invitations {

	private final Consumer<Endpoint> invited;

	private final Consumer<String> uninvited;

	/* By the id of the candidate. */
	private final Map<String, SequencedSet<Invitation>> held = new HashMap<>();

	private volatile Set<String> candidates = Set.of();

	/**
	 * No invitations yet.
	 * @param invited receives each candidate that gets one, before it may connect, and
	 * again when its newest one is withdrawn; must neither wait nor call back
	 * @param uninvited receives the id of each candidate that holds none any more, when
	 * it may not connect; must neither wait nor call back
	 */
	public Invitations(Consumer<Endpoint> invited, Consumer<String> uninvited) {
		this.invited = invited;
		this.uninvited = uninvited;
	}

	/** An invitation of a candidate, until it is withdrawn. */
	public final class Invitation {

		private final Endpoint candidate;

		private Invitation(Endpoint candidate) {
			this.candidate = candidate;
		}

		/** Withdraws it. Does nothing when that is done, or when it is forgotten. */
		public void withdraw() {
			Invitations.this.withdraw(this);
		}

	}

	/** Invites a candidate. */
	public synchronized Invitation invite(Endpoint candidate) {
		this.invited.accept(candidate);
		Invitation invitation = new Invitation(candidate);
		this.held.computeIfAbsent(candidate.id(), (_) -> new LinkedHashSet<>()).add(invitation);
		this.candidates = Set.copyOf(this.held.keySet());
		return invitation;
	}

	private synchronized void withdraw(Invitation invitation) {
		String candidate = invitation.candidate.id();
		SequencedSet<Invitation> its = this.held.get(candidate);
		if (its == null || !its.remove(invitation)) {
			return;
		}
		if (its.isEmpty()) {
			forget(candidate);
			this.uninvited.accept(candidate);
		}
		else {
			this.invited.accept(its.getLast().candidate);
		}
	}

	/** Forgets those of a node that has become a member, or has left. */
	public synchronized void forget(String node) {
		this.held.remove(node);
		this.candidates = Set.copyOf(this.held.keySet());
	}

	/** The ids of the candidates that hold one. */
	public Set<String> candidates() {
		return this.candidates;
	}

}
