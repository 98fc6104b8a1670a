package io.quorate.spring.boot;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.spring.boot.session.QuorateSession;
import io.quorate.spring.boot.session.QuorateSessionRepository;
import io.quorate.spring.boot.session.SessionRules;
import io.quorate.spring.boot.store.JavaCodec;
import io.quorate.spring.boot.store.StoreFailures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.session.FlushMode;
import org.springframework.session.SaveMode;
import org.springframework.session.UuidSessionIdGenerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Sessions of requests that last long, or meet a node that does not answer. */
class SessionStoreTests extends NodeTests {

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	private final TestStore store = new TestStore();

	private final TestNode node = node();

	private final QuorateSessionRepository sessions = new QuorateSessionRepository(
			opened(QuorateClient.builder()
				.endpoints(this.node.url())
				.options((options) -> options.deadline(millis(2_000)))
				.build()).async(),
			new SessionRules("", new JavaCodec(null), SaveMode.ON_SET_ATTRIBUTE, UuidSessionIdGenerator.getInstance(),
					INTERVAL),
			FlushMode.ON_SAVE, new StoreFailures((store, operation) -> {
			}));

	private final Instant now = Instant.now();

	SessionStoreTests() {
		this.node.follow(this.store);
	}

	private QuorateSession created() {
		QuorateSession session = this.sessions.createSession();
		this.sessions.save(session);
		return session;
	}

	private QuorateSession found(String id) {
		return Objects.requireNonNull(this.sessions.findById(id));
	}

	private Instant expires(String id) {
		return Objects.requireNonNull(this.store.expires(id));
	}

	/* A request that has begun so long ago. */
	private QuorateSession begun(String id, long seconds) {
		QuorateSession session = found(id);
		session.setLastAccessedTime(this.now.minusSeconds(seconds));
		return session;
	}

	@ParameterizedTest
	@ValueSource(longs = { 61, 55 })
	void longRequestShortensNoSessionInUse(long seconds) {
		String id = created().getId();
		QuorateSession slow = begun(id, seconds);
		QuorateSession unchanged = begun(id, seconds);
		this.sessions.save(begun(id, 11));
		Instant expires = expires(id);
		slow.setAttribute("result", "late");
		this.sessions.save(slow);
		this.sessions.save(unchanged);
		assertThat(found(id).<String>getAttribute("result")).isEqualTo("late");
		assertThat(expires(id)).isAfterOrEqualTo(expires);
	}

	@Test
	void longRequestMovesASessionInUse() {
		String id = created().getId();
		QuorateSession slow = begun(id, 61);
		String next = slow.changeSessionId();
		Instant expires = expires(id);
		this.sessions.save(slow);
		assertThat(this.sessions.findById(id)).isNull();
		assertThat(found(next)).isNotNull();
		// Expiries have whole seconds.
		assertThat(expires(next)).isAfter(expires.minusSeconds(2));
	}

	@Test
	void anotherIntervalEndsASessionAtItsOwnTime() {
		String id = created().getId();
		QuorateSession shorter = begun(id, 0);
		shorter.setMaxInactiveInterval(Duration.ofSeconds(20));
		this.sessions.save(shorter);
		assertThat(expires(id)).isBefore(this.now.plus(INTERVAL));
		QuorateSession over = begun(id, 30);
		over.setMaxInactiveInterval(Duration.ofSeconds(10));
		this.sessions.save(over);
		assertThat(this.sessions.findById(id)).isNull();
	}

	@Test
	void idChangesInASecondSaveBehindAFailedOne() {
		String id = created().getId();
		QuorateSession session = found(id);
		session.setAttribute("user", "anna");
		String next = session.changeSessionId();
		this.node
			.follow((request) -> request.method().equals("DELETE") ? TestNode.OVERLOADED : this.store.apply(request));
		assertThatExceptionOfType(UnavailableException.class).isThrownBy(() -> this.sessions.save(session));
		this.node.follow(this.store);
		session.setAttribute("user", "berta");
		this.sessions.save(session);
		assertThat(this.sessions.findById(id)).isNull();
		assertThat(found(next).<String>getAttribute("user")).isEqualTo("berta");
	}

}
