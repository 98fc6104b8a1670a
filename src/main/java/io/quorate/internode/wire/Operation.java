package io.quorate.internode.wire;

/** A kind of request to a replica. */
public enum Operation {

	APPLY, READ, PAGE, COMPARISON, PREPARE, CHANGES

}
