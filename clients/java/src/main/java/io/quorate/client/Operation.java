package io.quorate.client;

/** A kind of call. */
public enum Operation {

	/** The write of a value. */
	PUT,

	/** The deletion of a value. */
	DELETE,

	/** The move of the expiry of a value. */
	TOUCH,

	/** The read of a value, or of a part of it. */
	GET,

	/** The read of all of an entity but its value. */
	HEAD,

	/** A batch. */
	BATCH,

	/** A range, with values or of keys alone. */
	RANGE,

	/** A page of a range. */
	PAGE,

	/** The status of a node. */
	STATUS,

	/** A request of an operator. */
	OPERATOR;

	boolean isOfOneKey() {
		return switch (this) {
			case PUT, DELETE, TOUCH, GET, HEAD -> true;
			case BATCH, RANGE, PAGE, STATUS, OPERATOR -> false;
		};
	}

}
