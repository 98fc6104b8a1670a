package io.quorate.spring.boot.session;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.quorate.client.QuorateAsyncClient;
import io.quorate.spring.boot.store.StoreFailures;
import org.jspecify.annotations.Nullable;
import org.springframework.session.FlushMode;
import org.springframework.session.SessionRepository;

/**
 * The sessions of an application with servlets. To save one that was deleted meanwhile is
 * an {@link IllegalStateException}. There are no events of expiry. Safe for threads.
 */
public final class QuorateSessionRepository implements SessionRepository<QuorateSession> {

	private final SessionStore store;

	private final FlushMode flushMode;

	/**
	 * Creates a repository.
	 * @param client the client, which stays open
	 * @param rules the rules of the application
	 * @param flushMode when changes are saved
	 * @param failures gets the sessions that cannot be read
	 */
	public QuorateSessionRepository(QuorateAsyncClient client, SessionRules rules, FlushMode flushMode,
			StoreFailures failures) {
		this.store = new SessionStore(client, rules, failures);
		this.flushMode = flushMode;
	}

	@Override
	public QuorateSession createSession() {
		QuorateSession session = flushing(this.store.create());
		if (this.flushMode == FlushMode.IMMEDIATE) {
			save(session);
		}
		return session;
	}

	private QuorateSession flushing(QuorateSession session) {
		return (this.flushMode == FlushMode.IMMEDIATE) ? session.report(this::save) : session;
	}

	@Override
	public void save(QuorateSession session) {
		await(this.store.save(session));
	}

	@Override
	public @Nullable QuorateSession findById(String id) {
		return await(this.store.find(id)).map(this::flushing).orElse(null);
	}

	@Override
	public void deleteById(String id) {
		await(this.store.delete(id));
	}

	private static <T> T await(CompletableFuture<T> call) {
		try {
			return call.join();
		}
		catch (CompletionException failure) {
			throw (failure.getCause() instanceof RuntimeException cause) ? cause : failure;
		}
	}

}
