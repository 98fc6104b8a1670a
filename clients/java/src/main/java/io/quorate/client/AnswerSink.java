package io.quorate.client;

import java.nio.ByteBuffer;

/**
 * The receiver of one answer. Its methods run one after the other. An error that one of
 * them throws is the failure of the attempt.
 */
interface AnswerSink {

	void head(Answer head);

	/**
	 * Takes bytes of the body.
	 * @return {@code true} to get more at once; {@code false} if the receiver asks for
	 * them later
	 */
	boolean bytes(ByteBuffer bytes);

	/** Takes the end of the whole answer. */
	void end();

	/**
	 * Takes the failure of the attempt, after which nothing else comes.
	 * @param failure a {@link TransportException} or a {@link QuorateException}
	 */
	void failed(Exception failure);

}
