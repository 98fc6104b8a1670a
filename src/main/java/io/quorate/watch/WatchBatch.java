package io.quorate.watch;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Events that are sent together.
 *
 * @param cursor the point behind them from which another watch goes on; {@code null} when
 * it has not moved
 */
public record WatchBatch(List<WatchEvent> events, @Nullable WatchCursor cursor) {

	public WatchBatch {
		events = List.copyOf(events);
	}

}
