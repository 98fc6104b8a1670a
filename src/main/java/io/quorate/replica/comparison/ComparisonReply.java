package io.quorate.replica.comparison;

import io.quorate.replica.Failure;

/**
 * What a node says when asked about its store.
 *
 * @param <T> what it was asked for
 */
public sealed interface ComparisonReply<T> {

	/** What it was asked for. */
	record Answer<T>(T value) implements ComparisonReply<T> {
	}

	/** It cannot say, or does not want to. */
	record Failed<T>(Failure failure) implements ComparisonReply<T> {
	}

}
