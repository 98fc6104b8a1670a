package io.quorate.api;

import java.util.List;

import io.quorate.coordinator.RangeScan;
import io.quorate.entry.ScanRange;
import io.quorate.security.access.Caller;
import reactor.core.publisher.Mono;

/**
 * A scan that ends at its next page when its caller may not read the range any more.
 *
 * @param scan the scan itself
 * @param range its range
 */
record RevocableScan(RangeScan scan, ScanRange range, Caller caller) implements RangeScan {

	@Override
	public Mono<List<Row>> nextPage(boolean keepsEarlier) {
		return this.caller.mayStillRead(this.range) ? this.scan.nextPage(keepsEarlier)
				: Mono.error(() -> this.caller.revoked());
	}

	@Override
	public void close() {
		this.scan.close();
	}

}
