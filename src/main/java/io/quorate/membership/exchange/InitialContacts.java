package io.quorate.membership.exchange;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The first attempts of this process to reach each peer. This node's directory may be an
 * older copy, and a peer may know that: until each peer was reached, or could not be,
 * this node answers no reads. It does not wait for a peer that it cannot reach, so that
 * the last node that is up serves. Safe for any number of threads.
 */
public final class InitialContacts {

	private final Set<String> awaited = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/** The contacts with these peers, none of which was reached or tried yet. */
	public InitialContacts(Collection<String> peers) {
		this.awaited.addAll(peers);
		if (this.awaited.isEmpty()) {
			this.over.complete(null);
		}
	}

	/** A peer was reached, or the first attempt to reach it has failed. */
	public void settled(String peer) {
		if (this.awaited.remove(peer) && this.awaited.isEmpty()) {
			this.over.complete(null);
		}
	}

	/** Whether each peer was reached or tried. */
	public boolean areOver() {
		return this.over.isDone();
	}

	/** Waits until the attempts are over, and counts them as over after the limit. */
	public void await(Duration limit) {
		try {
			this.over.get(limit.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException tooLong) {
			this.over.complete(null);
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException impossible) {
			throw new IllegalStateException(impossible);
		}
	}

}
