package io.quorate.process;

/**
 * The answer to a request.
 *
 * @param status status, {@link #NONE} when the connection was lost before it
 * @param problem problem document, empty when there was a value or none was asked for
 */
record Answer(int status, String problem) {

	/** The status of a request that was not answered. */
	static final int NONE = 0;

	/** The answer that never came. */
	static final Answer LOST = new Answer(NONE, "the connection was lost");

	static Answer of(NodeAnswer answer) {
		return new Answer(answer.statusCode(), (answer.statusCode() == 200) ? "" : NodeClient.text(answer));
	}

	/** The replies of the replicas in a problem document, as they stand in it. */
	String saidByReplicas() {
		return this.problem.substring(Math.max(0, this.problem.indexOf("\"replicas\""))).strip();
	}

	/** Whether the client was told what it asked for. */
	boolean isGood() {
		return this.status == 200 || this.status == 201 || this.status == 202 || this.status == 404;
	}

}
