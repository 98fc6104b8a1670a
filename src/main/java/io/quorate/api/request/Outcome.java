package io.quorate.api.request;

import io.quorate.meter.MeterByTag;

/** The outcomes of requests. Each request has one. */
public enum Outcome {

	SUCCESS, NOT_FOUND, REJECTED, UNAVAILABLE, OVERLOADED, DISK_FULL, ERROR,

	/** The client was gone before the answer. */
	CANCELLED;

	/** The outcome that the status of an answer says. */
	public static Outcome of(int status) {
		return switch (status) {
			case 404 -> NOT_FOUND;
			case 503 -> OVERLOADED;
			case 504 -> UNAVAILABLE;
			case 507 -> DISK_FULL;
			default -> (status < 400) ? SUCCESS : (status < 500) ? REJECTED : ERROR;
		};
	}

	/** The word for meters and logs. */
	public String word() {
		return MeterByTag.word(this);
	}

}
