package io.quorate.internode;

/** A kind of request to a replica. */
enum Operation {

	APPLY, READ, PAGE, COMPARISON

}
