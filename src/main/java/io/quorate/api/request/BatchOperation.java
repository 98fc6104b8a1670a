package io.quorate.api.request;

import java.util.List;
import java.util.stream.Stream;

import io.quorate.meter.MeterByTag;

/** The operations of the items of a batch. Each has its own statuses. */
public enum BatchOperation {

	PUT(201, 400, 409, 412, 422, 428, 503, 504, 507), GET(200, 304, 400, 404, 412, 503, 504),

	DELETE(202, 400, 409, 412, 422, 428, 503, 504, 507), TOUCH(200, 400, 404, 409, 412, 503, 504, 507),

	/** That of a line that is no item, or was too late to be read. */
	INVALID(400, 503);

	/** The status of an item that the node failed to do. */
	public static final int ERROR = 500;

	@SuppressWarnings("ImmutableEnumChecker") // Its list cannot be modified.
	private final List<Integer> statuses;

	BatchOperation(Integer... statuses) {
		this.statuses = Stream.concat(Stream.of(statuses), Stream.of(ERROR)).toList();
	}

	/** The statuses that its items can be answered with. */
	public List<Integer> statuses() {
		return this.statuses;
	}

	/** The word for clients, meters and logs. */
	public String word() {
		return MeterByTag.word(this);
	}

}
