package io.quorate.watch;

import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;

/** A watch that notes what it is told, and how often it is looked at. */
final class Watching implements Listener {

	private final ScanRange range;

	final List<Timestamp> versions = new ArrayList<>();

	int lost;

	int goes;

	int looks;

	Watching(ScanRange range) {
		this.range = range;
	}

	@Override
	public ScanRange range() {
		this.looks++;
		return this.range;
	}

	@Override
	public boolean covers(Key key) {
		this.looks++;
		return key.compareTo(this.range.start()) >= 0 && !this.range.isPassedBy(key);
	}

	@Override
	public boolean hasValues() {
		return false;
	}

	@Override
	public void offer(WatchEvent.OfKey event, Timestamp timestamp) {
		this.versions.add(event.version());
	}

	@Override
	public void fallBehind() {
		throw new AssertionError("arrivals were left out");
	}

	@Override
	public void lose() {
		this.lost++;
	}

	@Override
	public boolean isBusy() {
		return false;
	}

	@Override
	public void go() {
		this.goes++;
	}

}
