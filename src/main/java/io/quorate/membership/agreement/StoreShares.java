package io.quorate.membership.agreement;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.quorate.storage.ShareChange;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;

/** The keys that a store holds, in a directory of an identity. */
record StoreShares(Store store, StoreIdentity identity) implements KeyShares {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Override
	public boolean areRestored() {
		return this.identity.isRestored();
	}

	@Override
	public void namedAnew() throws IOException {
		this.identity.namedAnew();
	}

	@Override
	public boolean isNew() {
		return this.identity.isNew();
	}

	@Override
	public void admitted() {
		this.identity.settle();
	}

	@Override
	public boolean hasHeld() {
		return this.store.durableSequence() > 0;
	}

	@Override
	public void assign(ShareChange change) throws IOException {
		try {
			this.store.assign(change).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException failure) {
			throw new IOException("the store does not know what this node gains and loses: " + failure.getCause(),
					failure);
		}
		catch (TimeoutException tooLong) {
			throw new IOException("the store has not noted within %d s what this node gains and loses"
				.formatted(PATIENCE.toSeconds()), tooLong);
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
			throw new InterruptedIOException("the node stops");
		}
	}

}
