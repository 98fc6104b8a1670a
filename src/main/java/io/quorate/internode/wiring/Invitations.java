package io.quorate.internode.wiring;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.quorate.membership.Endpoint;

/**
 * The invitations of candidates, which may connect to this node while they hold one. A
 * candidate may hold several, as each meeting with it gives it one: it is uninvited with
 * the last of them. Safe for any number of threads.
 */
final class Invitations {

	private final Consumer<Endpoint> invited;

	private final Consumer<String> uninvited;

	private final Map<String, Set<Invitation>> held = new HashMap<>();

	/**
	 * No invitations yet.
	 * @param invited receives each candidate that gets one, before it may connect
	 * @param uninvited receives the id of each candidate that holds none any more
	 */
	Invitations(Consumer<Endpoint> invited, Consumer<String> uninvited) {
		this.invited = invited;
		this.uninvited = uninvited;
	}

	/** An invitation of a candidate, until it is withdrawn. */
	final class Invitation {

		private final String candidate;

		private Invitation(String candidate) {
			this.candidate = candidate;
		}

		/** Withdraws it. Does nothing when that is done, or when it is forgotten. */
		void withdraw() {
			Invitations.this.withdraw(this);
		}

	}

	/** Invites a candidate. */
	synchronized Invitation invite(Endpoint candidate) {
		Invitation invitation = new Invitation(candidate.id());
		this.held.computeIfAbsent(candidate.id(), (_) -> new HashSet<>()).add(invitation);
		this.invited.accept(candidate);
		return invitation;
	}

	private synchronized void withdraw(Invitation invitation) {
		Set<Invitation> its = this.held.get(invitation.candidate);
		if (its != null && its.remove(invitation) && its.isEmpty()) {
			this.held.remove(invitation.candidate);
			this.uninvited.accept(invitation.candidate);
		}
	}

	/** Forgets those of a node that was a member and has left, whatever it holds. */
	synchronized void forget(String node) {
		this.held.remove(node);
	}

	/** The ids of the candidates that hold one. */
	synchronized Set<String> candidates() {
		return Set.copyOf(this.held.keySet());
	}

}
