package io.quorate.spring.boot.config;

import java.util.Set;

import org.springframework.context.ApplicationEvent;

/**
 * The change of imported properties: the environment has their new values already. Beans
 * keep what was injected.
 */
public final class QuorateConfigChangedEvent extends ApplicationEvent {

	private static final long serialVersionUID = 1;

	private final transient Set<String> names;

	QuorateConfigChangedEvent(Object source, Set<String> names) {
		super(source);
		this.names = Set.copyOf(names);
	}

	/** Returns the names of the properties that were added, changed or removed. */
	public Set<String> names() {
		return this.names;
	}

}
