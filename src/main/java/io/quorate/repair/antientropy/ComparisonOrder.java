package io.quorate.repair.antientropy;

import java.time.Duration;

import io.quorate.repair.comparison.KeyRange;
import io.quorate.repair.comparison.Pass.Direction;

/**
 * An order to compare a range, once or over and over.
 *
 * @param interval time from the end of a round to the next one; zero for a requested
 * comparison, which is made once
 */
record ComparisonOrder(KeyRange range, Direction direction, Duration interval) {

	static ComparisonOrder overAndOver(Duration interval) {
		return new ComparisonOrder(KeyRange.ALL, Direction.BOTH, interval);
	}

	static ComparisonOrder once(KeyRange range, Direction direction) {
		return new ComparisonOrder(range, direction, Duration.ZERO);
	}

	boolean isRequested() {
		return this.interval.isZero();
	}

	/** Whether both stores are the same when it is completed. */
	boolean isOfAll() {
		return this.range.isAll() && this.direction == Direction.BOTH;
	}

}
