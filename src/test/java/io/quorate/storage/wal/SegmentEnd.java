package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;

/** The end of the batches of a segment. */
public final class SegmentEnd {

	private SegmentEnd() {
	}

	/** Offset behind the last batch of an unbroken row; 0 when none was begun. */
	public static int of(Path file) throws IOException {
		long number = LogFormat.FILES.numberOf(file).orElseThrow();
		ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
		SegmentHeader header = SegmentHeader.of(content, number);
		if (header == null) {
			return 0;
		}
		Batches batches = Batches.of(header, LogFormat.MAX_BATCH);
		int end = SegmentHeader.SIZE;
		while (batches.isIntact(content, end, end)) {
			end += Batches.size(content, end);
		}
		return end;
	}

}
