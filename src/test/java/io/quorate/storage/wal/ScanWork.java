package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.storage.log.LogFormat;

/** The work that it takes to go over a segment. */
public final class ScanWork {

	private ScanWork() {
	}

	/** Bytes that are compared with a checksum or searched. */
	public static long of(Path segment) throws IOException {
		return new LogReplay(segment.resolveSibling("."), (_) -> true)
			.look(LogFormat.FILES.numberOf(segment).orElseThrow(), (_, scan) -> scan.work());
	}

}
