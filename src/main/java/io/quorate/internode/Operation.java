package io.quorate.internode;

/** What a replica is asked to do. */
enum Operation {

	APPLY, READ, PAGE, COMPARISON

}
