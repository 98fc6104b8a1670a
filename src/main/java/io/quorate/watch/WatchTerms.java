package io.quorate.watch;

import java.util.function.BooleanSupplier;

import io.quorate.entry.ScanRange;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a watch.
 *
 * @param range the keys, in ascending order
 * @param cursor the point from which it goes on, {@code null} for the present
 * @param hasValues whether events have values, up to {@value WatchTerms#MOST_VALUE_BYTES}
 * bytes each
 * @param isReset whether a cursor that is lost begins anew with {@link WatchEvent.Reset},
 * in the place of a failure
 * @param principal name of the client's principal
 * @param mayRead whether the client still may read the range; does not block
 */
public record WatchTerms(ScanRange range, @Nullable WatchCursor cursor, boolean hasValues, boolean isReset,
		String principal, BooleanSupplier mayRead) {

	/** Greatest number of bytes of a value that an event has. */
	public static final int MOST_VALUE_BYTES = 64 * 1024;

}
