package io.quorate.replica;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests this node carries out, by the version of the layout under which
 * they were planned. Called on event loops: it must not wait.
 */
@FunctionalInterface
public interface LayoutFence {

	/** The fence of a node whose layout never changes. */
	LayoutFence OPEN = (_, _) -> null;

	/**
	 * Returns the reason for which a request is refused, or {@code null} if it is carried
	 * out.
	 * @param layout version of the layout under which it was planned
	 * @param written key of a write, {@code null} for any other request
	 */
	@Nullable Failure refuses(long layout, @Nullable Key written);

}
