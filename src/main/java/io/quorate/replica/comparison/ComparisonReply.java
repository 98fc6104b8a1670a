package io.quorate.replica.comparison;

import io.quorate.replica.Failure;

/**
 * A node's reply to a question about its store.
 *
 * @param <T> type of the answer
 */
public sealed interface ComparisonReply<T> {

	/** The answer to the question. */
	record Answer<T>(T value) implements ComparisonReply<T> {
	}

	/** The node cannot answer, or refuses to. */
	record Failed<T>(Failure failure) implements ComparisonReply<T> {
	}

}
