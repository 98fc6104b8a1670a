package io.quorate.repair.antientropy;

import java.time.Duration;

import io.quorate.repair.comparison.KeyRange;
import io.quorate.repair.comparison.Pass.Direction;

/**
 * An order to compare a range, once or over and over.
 *
 * @param interval time from the end of a round to the next one; zero for a requested
 * comparison, which is made once
 * @param observer observer of the progress
 */
record ComparisonOrder(KeyRange range, Direction direction, Duration interval, CopyObserver observer) {

	static ComparisonOrder overAndOver(Duration interval) {
		return new ComparisonOrder(KeyRange.ALL, Direction.BOTH, interval, CopyObserver.NONE);
	}

	static ComparisonOrder once(KeyRange range) {
		return new ComparisonOrder(range, Direction.BOTH, Duration.ZERO, CopyObserver.NONE);
	}

	/** An order to fetch all that this node must hold and lacks. */
	static ComparisonOrder fetching(CopyObserver observer) {
		return new ComparisonOrder(KeyRange.ALL, Direction.FETCH, Duration.ZERO, observer);
	}

	boolean isRequested() {
		return this.interval.isZero();
	}

	/** Whether both stores are the same when it is completed. */
	boolean isOfAll() {
		return this.range.isAll() && this.direction == Direction.BOTH;
	}

}
