package io.quorate.spring.boot.session;

import io.quorate.client.QuorateAsyncClient;
import io.quorate.spring.boot.store.StoreFailures;
import org.springframework.session.ReactiveSessionRepository;
import reactor.core.publisher.Mono;

/**
 * The sessions of a reactive application. To save one that was deleted meanwhile is an
 * {@link IllegalStateException}. There are no events of expiry. Safe for threads.
 */
public final class QuorateReactiveSessionRepository implements ReactiveSessionRepository<QuorateSession> {

	private final SessionStore store;

	/**
	 * Creates a repository.
	 * @param client the client, which stays open
	 * @param rules the rules of the application
	 * @param failures gets the sessions that cannot be read
	 */
	public QuorateReactiveSessionRepository(QuorateAsyncClient client, SessionRules rules, StoreFailures failures) {
		this.store = new SessionStore(client, rules, failures);
	}

	@Override
	public Mono<QuorateSession> createSession() {
		return Mono.fromSupplier(this.store::create);
	}

	@Override
	public Mono<Void> save(QuorateSession session) {
		return Mono.fromFuture(() -> this.store.save(session)).then();
	}

	@Override
	public Mono<QuorateSession> findById(String id) {
		return Mono.fromFuture(() -> this.store.find(id)).flatMap(Mono::justOrEmpty);
	}

	@Override
	public Mono<Void> deleteById(String id) {
		return Mono.fromFuture(() -> this.store.delete(id)).then();
	}

}
