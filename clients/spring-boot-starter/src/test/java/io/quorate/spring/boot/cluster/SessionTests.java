package io.quorate.spring.boot.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.quorate.client.Put;
import io.quorate.spring.boot.session.QuorateReactiveSessionRepository;
import io.quorate.spring.boot.session.QuorateSession;
import io.quorate.spring.boot.session.QuorateSessionRepository;
import io.quorate.spring.boot.session.SessionRules;
import io.quorate.spring.boot.store.JavaCodec;
import io.quorate.spring.boot.store.StoreFailures;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.session.FlushMode;
import org.springframework.session.MapSession;
import org.springframework.session.SaveMode;
import org.springframework.session.UuidSessionIdGenerator;
import org.springframework.session.web.http.SessionRepositoryFilter;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The contract of the repositories of Spring Session, and what other stores got wrong.
 */
class SessionTests extends Stores {

	private final List<String> failures = new CopyOnWriteArrayList<>();

	/** The repositories by the same calls. */
	enum Kind {

		SERVLET, REACTIVE

	}

	private SessionRules rules(SaveMode mode) {
		return new SessionRules(this.prefix, new JavaCodec(null), mode, UuidSessionIdGenerator.getInstance(),
				MapSession.DEFAULT_MAX_INACTIVE_INTERVAL);
	}

	private StoreFailures counted() {
		return new StoreFailures((store, operation) -> this.failures.add(store + " " + operation));
	}

	private QuorateSessionRepository repository(SaveMode mode, FlushMode flush) {
		return new QuorateSessionRepository(client().async(), rules(mode), flush, counted());
	}

	private QuorateReactiveSessionRepository reactive() {
		return new QuorateReactiveSessionRepository(client().async(), rules(SaveMode.ON_SET_ATTRIBUTE), counted());
	}

	private Sessions sessions(Kind kind) {
		if (kind == Kind.SERVLET) {
			QuorateSessionRepository repository = repository(SaveMode.ON_SET_ATTRIBUTE, FlushMode.ON_SAVE);
			return new Sessions() {

				@Override
				public QuorateSession create() {
					return repository.createSession();
				}

				@Override
				public void save(QuorateSession session) {
					repository.save(session);
				}

				@Override
				public @Nullable QuorateSession find(String id) {
					return repository.findById(id);
				}

				@Override
				public void delete(String id) {
					repository.deleteById(id);
				}

			};
		}
		QuorateReactiveSessionRepository repository = reactive();
		return new Sessions() {

			@Override
			public QuorateSession create() {
				return repository.createSession().blockOptional().orElseThrow();
			}

			@Override
			public void save(QuorateSession session) {
				repository.save(session).block();
			}

			@Override
			public @Nullable QuorateSession find(String id) {
				return repository.findById(id).block();
			}

			@Override
			public void delete(String id) {
				repository.deleteById(id).block();
			}

		};
	}

	private static QuorateSession saved(Sessions sessions) {
		QuorateSession session = sessions.create();
		session.setAttribute("attribute1", "value1");
		sessions.save(session);
		return found(sessions, session.getId());
	}

	private static QuorateSession found(Sessions sessions, String id) {
		QuorateSession session = sessions.find(id);
		assertThat(session).isNotNull();
		return session;
	}

	private static void assertGone(Sessions sessions, QuorateSession session) {
		assertThatIllegalStateException().isThrownBy(() -> sessions.save(session))
			.withMessage("Session was invalidated");
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void newSessionIsFoundAsItWasSaved(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession created = sessions.create();
		created.setAttribute("attribute1", "value1");
		assertThat(sessions.find(created.getId())).isNull();
		sessions.save(created);
		QuorateSession session = found(sessions, created.getId());
		assertThat(session.getId()).isEqualTo(created.getId());
		assertThat(session.getMaxInactiveInterval()).isEqualTo(Duration.ofMinutes(30));
		assertThat(session.getAttributeNames()).isEqualTo(Set.of("attribute1"));
		assertThat(session.<String>getAttribute("attribute1")).isEqualTo("value1");
		assertThat(session.getCreationTime()).isEqualTo(created.getCreationTime().truncatedTo(ChronoUnit.MILLIS));
		assertThat(session.getLastAccessedTime()).isBetween(created.getLastAccessedTime().minusSeconds(1),
				created.getLastAccessedTime().plusSeconds(1));
		assertThat(session.isExpired()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void sessionWhoseTimeIsOverIsNotThere(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession created = sessions.create();
		created.setLastAccessedTime(Instant.EPOCH);
		sessions.save(created);
		assertThat(sessions.find(created.getId())).isNull();
		QuorateSession session = saved(sessions);
		session.setLastAccessedTime(Instant.EPOCH);
		session.setMaxInactiveInterval(Duration.ofMinutes(10));
		sessions.save(session);
		assertThat(sessions.find(session.getId())).isNull();
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void deletedSessionIsNeverSavedAgain(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession unchanged = saved(sessions);
		sessions.delete(unchanged.getId());
		assertGone(sessions, unchanged);
		QuorateSession changed = saved(sessions);
		changed.setAttribute("attribute2", "value2");
		sessions.delete(changed.getId());
		assertGone(sessions, changed);
		assertThat(sessions.find(changed.getId())).isNull();
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void attributesOfSeveralRequestsAreMerged(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession copy1 = saved(sessions);
		QuorateSession copy2 = found(sessions, copy1.getId());
		Instant now = Instant.now();
		copy1.setLastAccessedTime(now.plusSeconds(10));
		copy1.setAttribute("attribute2", "value2");
		sessions.save(copy1);
		copy2.setLastAccessedTime(now.plusSeconds(20));
		copy2.setAttribute("attribute3", "value3");
		copy2.removeAttribute("attribute1");
		sessions.save(copy2);
		QuorateSession session = found(sessions, copy1.getId());
		assertThat(session.getLastAccessedTime()).isBetween(now.plusSeconds(19), now.plusSeconds(21));
		assertThat(session.getAttributeNames()).containsExactlyInAnyOrder("attribute2", "attribute3");
		assertThat(session.<String>getAttribute("attribute2")).isEqualTo("value2");
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void sessionIsSavedSeveralTimes(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession session = sessions.create();
		for (int i = 0; i < 3; i++) {
			session.setAttribute("attribute" + i, i);
			sessions.save(session);
		}
		sessions.save(session);
		assertThat(found(sessions, session.getId()).getAttributeNames()).hasSize(3);
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void changedIdTakesThePlaceOfTheOldOne(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession session = saved(sessions);
		String original = session.getId();
		String first = session.changeSessionId();
		session.setAttribute("attribute1", "value2");
		String second = session.changeSessionId();
		sessions.save(session);
		sessions.save(session);
		assertThat(sessions.find(original)).isNull();
		assertThat(sessions.find(first)).isNull();
		assertThat(found(sessions, second).<String>getAttribute("attribute1")).isEqualTo("value2");
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void idAloneIsChanged(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession session = saved(sessions);
		String original = session.getId();
		session.changeSessionId();
		sessions.save(session);
		assertThat(sessions.find(original)).isNull();
		assertThat(found(sessions, session.getId()).<String>getAttribute("attribute1")).isEqualTo("value1");
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void newSessionMayChangeItsId(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession session = sessions.create();
		String original = session.getId();
		session.changeSessionId();
		sessions.save(session);
		assertThat(sessions.find(original)).isNull();
		assertThat(sessions.find(session.getId())).isNotNull();
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void deletedSessionChangesNoId(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession session = saved(sessions);
		String original = session.getId();
		sessions.delete(original);
		session.setAttribute("attribute1", "value2");
		session.changeSessionId();
		assertGone(sessions, session);
		assertThat(sessions.find(original)).isNull();
		assertThat(sessions.find(session.getId())).isNull();
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void idIsChangedByOneRequest(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession copy1 = saved(sessions);
		QuorateSession copy2 = found(sessions, copy1.getId());
		QuorateSession copy3 = found(sessions, copy1.getId());
		String original = copy1.getId();
		copy1.changeSessionId();
		sessions.save(copy1);
		copy2.changeSessionId();
		assertGone(sessions, copy2);
		copy3.setLastAccessedTime(Instant.now());
		assertGone(sessions, copy3);
		assertThat(sessions.find(original)).isNull();
		assertThat(sessions.find(copy1.getId())).isNotNull();
		assertThat(sessions.find(copy2.getId())).isNull();
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void deletionOfNothingIsNone(Kind kind) {
		Sessions sessions = sessions(kind);
		QuorateSession session = saved(sessions);
		sessions.delete(session.getId());
		sessions.delete(session.getId());
		sessions.delete(UUID.randomUUID().toString());
		assertThat(sessions.find(session.getId())).isNull();
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void sessionSlidesAndExpires(Kind kind) throws InterruptedException {
		Sessions sessions = sessions(kind);
		QuorateSession session = saved(sessions);
		Instant later = Instant.now().plusSeconds(600);
		session.setLastAccessedTime(later);
		sessions.save(session);
		QuorateSession slid = found(sessions, session.getId());
		assertThat(slid.getLastAccessedTime()).isBetween(later.minusSeconds(1), later.plusSeconds(1));
		slid.setMaxInactiveInterval(Duration.ofSeconds(-1));
		sessions.save(slid);
		assertThat(found(sessions, session.getId()).getMaxInactiveInterval()).isNegative();
		slid.setLastAccessedTime(Instant.now());
		slid.setMaxInactiveInterval(Duration.ofSeconds(1));
		sessions.save(slid);
		Cluster.await(() -> sessions.find(session.getId()) == null);
	}

	@ParameterizedTest
	@EnumSource(Kind.class)
	void manyRequestsAtOnceLoseNothing(Kind kind) throws Exception {
		Sessions sessions = sessions(kind);
		String id = saved(sessions).getId();
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> requests = new ArrayList<>();
			Set<String> names = new TreeSet<>(Set.of("attribute1"));
			for (int i = 0; i < 24; i++) {
				String name = "request" + i;
				names.add(name);
				requests.add(threads.submit(() -> {
					QuorateSession session = found(sessions, id);
					session.setAttribute(name, name);
					session.setLastAccessedTime(Instant.now());
					sessions.save(session);
				}));
			}
			for (Future<?> request : requests) {
				request.get(3, TimeUnit.MINUTES);
			}
			assertThat(new TreeSet<>(found(sessions, id).getAttributeNames())).isEqualTo(names);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void changeOfTheIdKeepsWhatARequestSavesMeanwhile() throws Exception {
		Sessions sessions = sessions(Kind.SERVLET);
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try {
			for (int i = 0; i < 10; i++) {
				QuorateSession mover = saved(sessions);
				QuorateSession writer = found(sessions, mover.getId());
				mover.changeSessionId();
				writer.setAttribute("meanwhile", "value");
				Future<?> moved = threads.submit(() -> sessions.save(mover));
				boolean hasSaved = threads.submit(() -> {
					try {
						sessions.save(writer);
						return true;
					}
					catch (IllegalStateException gone) {
						return false;
					}
				}).get(1, TimeUnit.MINUTES);
				moved.get(1, TimeUnit.MINUTES);
				assertThat(sessions.find(writer.getId())).isNull();
				assertThat(found(sessions, mover.getId()).getAttributeNames().contains("meanwhile"))
					.isEqualTo(hasSaved);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void twoSavesOfANewSessionAtOnceAreOneSession() {
		QuorateReactiveSessionRepository repository = reactive();
		QuorateSession session = repository.createSession().blockOptional().orElseThrow();
		session.setAttribute("attribute1", "value1");
		Mono<Void> first = repository.save(session);
		session.setAttribute("attribute2", "value2");
		Mono<Void> second = repository.save(session);
		Mono.when(first, second).block();
		assertThat(repository.findById(session.getId()).blockOptional().orElseThrow().getAttributeNames()).hasSize(2);
	}

	@Test
	void idOfAnotherSessionIsNotTaken() {
		QuorateSessionRepository fixed = new QuorateSessionRepository(client().async(), new SessionRules(this.prefix,
				new JavaCodec(null), SaveMode.ON_SET_ATTRIBUTE, () -> "fixed", Duration.ofMinutes(1)),
				FlushMode.ON_SAVE, counted());
		QuorateSession first = fixed.createSession();
		first.setLastAccessedTime(Instant.now());
		fixed.save(first);
		client().put(this.prefix + "fixed", "other");
		QuorateSession second = fixed.createSession();
		assertThatIllegalStateException().isThrownBy(() -> fixed.save(second));
		assertThat(client().get(this.prefix + "fixed").orElseThrow().text()).isEqualTo("other");
	}

	@Test
	void saveModeSaysWhatIsSaved() {
		QuorateSessionRepository setters = repository(SaveMode.ON_SET_ATTRIBUTE, FlushMode.ON_SAVE);
		QuorateSession created = setters.createSession();
		created.setAttribute("list", new ArrayList<>(List.of("a")));
		setters.save(created);
		assertThat(listAfterChange(setters, created.getId())).containsExactly("a");
		QuorateSessionRepository getters = repository(SaveMode.ON_GET_ATTRIBUTE, FlushMode.ON_SAVE);
		assertThat(listAfterChange(getters, created.getId())).containsExactly("a", "b");
		QuorateSessionRepository all = repository(SaveMode.ALWAYS, FlushMode.ON_SAVE);
		QuorateSession late = all.findById(created.getId());
		assertThat(late).isNotNull();
		setters.save(changed(setters, created.getId()));
		all.save(late);
		assertThat(all.findById(created.getId())).isNotNull()
			.extracting((session) -> session.<List<String>>getAttribute("list"))
			.asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
			.containsExactly("a", "b");
	}

	private static QuorateSession changed(QuorateSessionRepository repository, String id) {
		QuorateSession session = repository.findById(id);
		assertThat(session).isNotNull();
		session.setAttribute("list", new ArrayList<>(List.of("x")));
		return session;
	}

	private static List<String> listAfterChange(QuorateSessionRepository repository, String id) {
		QuorateSession session = repository.findById(id);
		assertThat(session).isNotNull();
		session.<List<String>>getRequiredAttribute("list").add("b");
		repository.save(session);
		QuorateSession after = repository.findById(id);
		assertThat(after).isNotNull();
		return after.getRequiredAttribute("list");
	}

	@Test
	void immediateFlushSavesEachChange() {
		QuorateSessionRepository repository = repository(SaveMode.ON_SET_ATTRIBUTE, FlushMode.IMMEDIATE);
		Sessions sessions = sessions(Kind.SERVLET);
		QuorateSession session = repository.createSession();
		assertThat(found(sessions, session.getId()).getAttributeNames()).isEmpty();
		session.setAttribute("attribute1", "value1");
		assertThat(found(sessions, session.getId()).<String>getAttribute("attribute1")).isEqualTo("value1");
		session.removeAttribute("attribute1");
		assertThat(found(sessions, session.getId()).getAttributeNames()).isEmpty();
		session.setMaxInactiveInterval(Duration.ofMinutes(5));
		assertThat(found(sessions, session.getId()).getMaxInactiveInterval()).isEqualTo(Duration.ofMinutes(5));
		session.changeSessionId();
		assertThat(sessions.find(session.getId())).isNotNull();
	}

	@Test
	void servletsHaveTheSessionOfTheirCookie() throws Exception {
		SessionRepositoryFilter<QuorateSession> filter = new SessionRepositoryFilter<>(
				repository(SaveMode.ON_SET_ATTRIBUTE, FlushMode.ON_SAVE));
		MockHttpServletResponse first = new MockHttpServletResponse();
		filter.doFilter(new MockHttpServletRequest(), first,
				(request, response) -> session(request).setAttribute("cart", "apple"));
		MockHttpServletRequest second = new MockHttpServletRequest();
		second.setCookies(first.getCookies());
		List<@Nullable Object> carts = new ArrayList<>();
		filter.doFilter(second, new MockHttpServletResponse(), (request, response) -> {
			carts.add(session(request).getAttribute("cart"));
			session(request).invalidate();
			carts.add(session(request).getAttribute("cart"));
		});
		assertThat(carts).containsExactly("apple", null);
	}

	private static HttpSession session(ServletRequest request) {
		return ((HttpServletRequest) request).getSession();
	}

	@Test
	void undecodableSessionIsNone() {
		Sessions sessions = sessions(Kind.SERVLET);
		QuorateSession session = saved(sessions);
		String key = this.prefix + session.getId();
		String stored = client().head(key).orElseThrow().etag();
		byte[] bytes = client().get(key).orElseThrow().value();
		bytes[bytes.length - 3] = 0;
		bytes[bytes.length - 10] = 0;
		client().put(Put.of(key, bytes).ifMatch(stored));
		assertThat(sessions.find(session.getId())).isNull();
		client().put(this.prefix + "text", "no session");
		assertThat(sessions.find("text")).isNull();
		client().put(this.prefix + "empty", new byte[0]);
		assertThat(sessions.find("empty")).isNull();
		assertThat(this.failures).containsExactly("session decode", "session decode", "session decode");
	}

	@Test
	void cookieThatCanBeNoKeyIsNoSession() {
		Sessions sessions = sessions(Kind.SERVLET);
		assertThat(sessions.find("x".repeat(2_000))).isNull();
		assertThat(sessions.find("\ud800")).isNull();
		sessions.delete("x".repeat(2_000));
	}

	/** A repository of either kind. */
	private interface Sessions {

		QuorateSession create();

		void save(QuorateSession session);

		@Nullable QuorateSession find(String id);

		void delete(String id);

	}

}
