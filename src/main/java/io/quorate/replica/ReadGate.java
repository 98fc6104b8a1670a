package io.quorate.replica;

import org.jspecify.annotations.Nullable;

/** Whether a replica may be read. Asked before each read; must not block. */
public interface ReadGate {

	/** A gate that is open. */
	ReadGate OPEN = () -> null;

	/** Why nothing may be read now, or {@code null} when it may. */
	@Nullable Failure closed();

}
