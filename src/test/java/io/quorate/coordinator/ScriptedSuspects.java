package io.quorate.coordinator;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The nodes that a test makes suspect. */
final class ScriptedSuspects implements Suspects {

	private final Set<String> suspects = ConcurrentHashMap.newKeySet();

	private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

	@Override
	public boolean isSuspect(String node) {
		return this.suspects.contains(node);
	}

	@Override
	public void onSuspect(Consumer<String> listener) {
		this.listeners.add(listener);
	}

	void suspect(String node) {
		this.suspects.add(node);
		this.listeners.forEach((listener) -> listener.accept(node));
	}

	/** The node is up again. */
	void returned(String node) {
		this.suspects.remove(node);
	}

}
