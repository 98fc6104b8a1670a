package io.quorate.watch;

import java.util.Map;

import io.quorate.entry.ScanRange;

/** Cursors and the loss of one, for tests of other rooms. */
public final class WatchCursors {

	private WatchCursors() {
	}

	/** A cursor of a range, up to a number. */
	public static WatchCursor of(ScanRange range, long number) {
		return new WatchCursor(new WatchCursor.Origin(1, WatchCursor.hashOf(range), 1, 1),
				new Positions(Map.of(1L, number)), false, null);
	}

	/** The instant at which a node has made a cursor, in milliseconds since the epoch. */
	public static long madeMillis(String cursor) {
		return WatchCursor.parse(cursor).orElseThrow().origin().millis();
	}

	/** The loss of a cursor. */
	public static CursorLostException lost() {
		return new CursorLostException("as the test wants");
	}

}
