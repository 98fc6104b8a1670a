package io.quorate.api;

import io.quorate.api.batch.BatchController;
import io.quorate.api.changes.WatchController;
import io.quorate.api.entity.EntityController;
import io.quorate.api.range.RangeController;
import io.quorate.api.request.Protocol;
import io.quorate.api.transport.EntityPath;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.server.WebHandler;

/** The handlers of keys and their values. */
@Component
final class DataHandlers {

	private final EntityController entities;

	private final RangeController ranges;

	private final WatchController watches;

	private final BatchController batches;

	DataHandlers(EntityController entities, RangeController ranges, WatchController watches, BatchController batches) {
		this.entities = entities;
		this.ranges = ranges;
		this.watches = watches;
		this.batches = batches;
	}

	/** The handler of a path, {@code null} if the path is none of theirs. */
	@Nullable WebHandler at(String path) {
		return switch (path) {
			case Protocol.RANGE -> this.ranges;
			case Protocol.WATCH -> this.watches;
			case Protocol.BATCH -> this.batches;
			default -> EntityPath.matches(path) ? this.entities : null;
		};
	}

}
