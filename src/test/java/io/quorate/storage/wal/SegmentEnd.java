package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.storage.log.LogFormat;

/** Where the batches of a segment end. */
public final class SegmentEnd {

	private SegmentEnd() {
	}

	/** Offset behind the last batch of an unbroken row; 0 when none was begun. */
	public static int of(Path file) throws IOException {
		long number = LogFormat.FILES.numberOf(file).orElseThrow();
		ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
		if (LogFormat.readSegmentHeader(content, number).isEmpty()) {
			return 0;
		}
		int end = LogFormat.SEGMENT_HEADER;
		while (LogFormat.isBatch(content, end, number)) {
			end += LogFormat.batchSize(content, end);
		}
		return end;
	}

}
