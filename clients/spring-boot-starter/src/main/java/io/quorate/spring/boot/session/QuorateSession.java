package io.quorate.spring.boot.session;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.springframework.session.MapSession;
import org.springframework.session.SaveMode;
import org.springframework.session.Session;

/**
 * The session of one request, with the changes that are not saved yet. After it was read
 * its last access has whole seconds. Not for several threads at once.
 */
public final class QuorateSession implements Session {

	private final MapSession cached;

	private final SessionRules rules;

	private final Map<String, Optional<Object>> changes = new HashMap<>();

	private @Nullable String storedId;

	private boolean hasNewInterval;

	private Consumer<QuorateSession> listener = (session) -> {
	};

	QuorateSession(MapSession cached, SessionRules rules, boolean isNew) {
		this.cached = cached;
		this.rules = rules;
		this.storedId = isNew ? null : cached.getId();
		this.hasNewInterval = isNew;
		if (rules.saveMode() == SaveMode.ALWAYS) {
			cached.getAttributeNames()
				.forEach((name) -> this.changes.put(name, Optional.ofNullable(cached.getAttribute(name))));
		}
	}

	/** Has each change from now on reported at once. */
	QuorateSession report(Consumer<QuorateSession> changed) {
		this.listener = changed;
		return this;
	}

	SessionChange change() {
		Map<String, Optional<byte[]>> attributes = new HashMap<>();
		this.changes.forEach((name, value) -> attributes.put(name, value.map(this.rules.codec()::encode)));
		return new SessionChange(this.cached, this.storedId, this.hasNewInterval, attributes, Map.copyOf(this.changes));
	}

	/* What was changed since then stays to be saved. */
	void saved(SessionChange change) {
		this.storedId = change.id();
		this.hasNewInterval = this.hasNewInterval && !getMaxInactiveInterval().equals(change.interval());
		change.values().forEach(this.changes::remove);
	}

	@Override
	public String getId() {
		return this.cached.getId();
	}

	@Override
	public String changeSessionId() {
		this.cached.setId(this.rules.ids().generate());
		this.listener.accept(this);
		return getId();
	}

	@Override
	@SuppressWarnings("TypeParameterUnusedInFormals")
	public <T> @Nullable T getAttribute(String name) {
		T value = this.cached.getAttribute(name);
		if (value != null && this.rules.saveMode() == SaveMode.ON_GET_ATTRIBUTE) {
			this.changes.put(name, Optional.of(value));
		}
		return value;
	}

	@Override
	public Set<String> getAttributeNames() {
		return this.cached.getAttributeNames();
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		this.cached.setAttribute(name, value);
		this.changes.put(name, Optional.ofNullable(value));
		this.listener.accept(this);
	}

	@Override
	public void removeAttribute(String name) {
		setAttribute(name, null);
	}

	@Override
	public Instant getCreationTime() {
		return this.cached.getCreationTime();
	}

	@Override
	public void setLastAccessedTime(Instant time) {
		this.cached.setLastAccessedTime(time);
		this.listener.accept(this);
	}

	@Override
	public Instant getLastAccessedTime() {
		return this.cached.getLastAccessedTime();
	}

	@Override
	public void setMaxInactiveInterval(Duration interval) {
		this.cached.setMaxInactiveInterval(interval);
		this.hasNewInterval = true;
		this.listener.accept(this);
	}

	@Override
	public Duration getMaxInactiveInterval() {
		return this.cached.getMaxInactiveInterval();
	}

	@Override
	public boolean isExpired() {
		return this.cached.isExpired();
	}

}
