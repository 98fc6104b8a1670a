package io.quorate.membership.change;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.membership.layout.ChangeRefusedException;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.Layouts;

/**
 * The meetings with candidates at the request of another member, which a candidate does
 * not know. A candidate that knows this node, and so accepts its handshake, learns the
 * layout from it, and from then on accepts all members. This node takes in nothing of
 * what the candidate reports. One is met at a time. Nothing here waits; safe for any
 * number of threads.
 */
public final class Introductions {

	private final Layouts layouts;

	private final CandidateContact candidates;

	private final AtomicBoolean isMeeting = new AtomicBoolean();

	/**
	 * No meetings yet.
	 * @param candidates connects to a candidate directly
	 */
	public Introductions(Layouts layouts, CandidateContact candidates) {
		this.layouts = layouts;
		this.candidates = candidates;
	}

	/**
	 * Meets a candidate. This node connects to the address that it is given, so it does
	 * that for members alone: a node that is only invited may ask for nothing.
	 * @param peer node that asks
	 * @param candidate {@code id@host:port[/zone]}
	 * @return the reason why the candidate was not met, in words; empty when it was.
	 * Never fails, and has an outcome when the contact has one.
	 */
	public CompletableFuture<String> introduce(String peer, String candidate) {
		if (!this.layouts.current().hasMember(peer)) {
			return CompletableFuture.completedFuture("'%s' is no member".formatted(peer));
		}
		if (!this.layouts.isMember()) {
			return CompletableFuture.completedFuture("%s is no member itself".formatted(this.layouts.self()));
		}
		Endpoint node;
		try {
			node = ClusterChanges.candidate(here(candidate), this.layouts);
		}
		catch (ChangeRefusedException | IllegalArgumentException refused) {
			return CompletableFuture.completedFuture(String.valueOf(refused.getMessage()));
		}
		if (!this.isMeeting.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture("it meets another candidate just now");
		}
		// The meeting goes on when the connection of the peer is lost and its answer
		// cancelled.
		return meet(node).whenComplete((_, _) -> this.isMeeting.set(false))
			.handle((_, failure) -> (failure != null) ? reason(failure) : "");
	}

	/* A node of the configuration is reached at the address that each node has there. */
	private String here(String candidate) {
		Endpoint configured = this.layouts.configured().endpointOf(Endpoint.parse(candidate).id());
		return (configured != null) ? configured.toString() : candidate;
	}

	private CompletableFuture<CandidateContact.Candidate> meet(Endpoint node) {
		try {
			return this.candidates.meet(node);
		}
		catch (RuntimeException | Error failure) {
			return CompletableFuture.failedFuture(failure);
		}
	}

	/** The reason for which a candidate was not met, in words. */
	static String reason(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause.getMessage() != null) ? cause.getMessage() : cause.getClass().getSimpleName();
	}

}
