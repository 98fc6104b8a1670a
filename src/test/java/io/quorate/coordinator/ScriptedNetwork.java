package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quorate.replica.Failure.Reason;
import io.quorate.replica.WriteReply;

/** Delivers at once, fails what goes to a node that is down, holds what is held. */
final class ScriptedNetwork implements MemoryReplica.Network {

	final List<String> down = new ArrayList<>();

	final List<String> held = new ArrayList<>();

	Reason reason = Reason.TIMEOUT;

	int sent;

	int writes;

	boolean heldWrites;

	@Override
	public Reason reason() {
		return this.reason;
	}

	@Override
	public <T> void send(String node, Supplier<T> work, Supplier<T> failed, Consumer<T> deliver) {
		this.sent++;
		boolean isWrite = failed.get() instanceof WriteReply;
		this.writes += isWrite ? 1 : 0;
		if (!this.held.contains(node) && !(isWrite && this.heldWrites)) {
			deliver.accept(this.down.contains(node) ? failed.get() : work.get());
		}
	}

}
