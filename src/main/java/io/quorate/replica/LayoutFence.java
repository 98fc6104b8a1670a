package io.quorate.replica;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that were planned under a version of the layout that does not fit the
 * one of this node. Called on event loops: it must not wait.
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
