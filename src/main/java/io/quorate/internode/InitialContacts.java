package io.quorate.internode;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The first attempt of this process to meet each peer. A directory may be an older one,
 * and a peer may know better: before each of them was met, or could not be, this node is
 * not read. Whom it cannot reach it does not wait for, so that the last node up serves.
 * Safe for any number of threads.
 */
final class InitialContacts {

	private final Set<String> awaited = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/** None of these peers was met or tried yet. */
	InitialContacts(Collection<String> peers) {
		this.awaited.addAll(peers);
		if (this.awaited.isEmpty()) {
			this.over.complete(null);
		}
	}

	/** A peer was met, or the first attempt has failed. */
	void settled(String peer) {
		if (this.awaited.remove(peer) && this.awaited.isEmpty()) {
			this.over.complete(null);
		}
	}

	/** Whether each peer was met or tried. */
	boolean areOver() {
		return this.over.isDone();
	}

	/** Waits until they are over, and takes them for it after a while. */
	void await(Duration limit) {
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
