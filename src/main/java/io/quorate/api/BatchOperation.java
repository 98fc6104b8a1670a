package io.quorate.api;

import java.util.List;
import java.util.stream.Stream;

import io.quorate.meter.MeterByTag;

/** The operations of the items of a batch. */
enum BatchOperation {

	PUT(201, 400, 501, 503, 504, 507), GET(200, 304, 400, 404, 412, 503, 504), DELETE(202, 400, 501, 503, 504, 507),

	/** That of a line that is no item, or was too late to be read. */
	INVALID(400, 503);

	/** The status of an item that the node failed to do. */
	static final int ERROR = 500;

	@SuppressWarnings("ImmutableEnumChecker") // Its list cannot be modified.
	private final List<Integer> statuses;

	BatchOperation(Integer... statuses) {
		this.statuses = Stream.concat(Stream.of(statuses), Stream.of(ERROR)).toList();
	}

	/** The statuses that its items can be answered with. */
	List<Integer> statuses() {
		return this.statuses;
	}

	/** The word for clients, meters and logs. */
	String word() {
		return MeterByTag.word(this);
	}

}
