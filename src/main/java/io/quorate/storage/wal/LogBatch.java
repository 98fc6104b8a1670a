package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;

/**
 * The writes of one batch with their bytes. Used again for each batch, by the log's
 * thread.
 */
final class LogBatch {

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(LogFormat.MAX_BATCH);

	private final List<LogWrite> writes = new ArrayList<>();

	/**
	 * Takes writes out of a queue, as many as fit into the segment.
	 * @param sequence number of the first write
	 * @param mostBytes number of bytes beyond which no further write is taken
	 * @return number of the next write
	 */
	long fill(LogQueue queue, LogTail tail, long sequence, long mostBytes) {
		long next = sequence;
		this.buffer.clear().position(Batches.HEADER);
		LogWrite write = queue.peek();
		while (write != null && fits(write, tail) && this.buffer.position() <= mostBytes) {
			queue.poll();
			write.number(next++);
			LogFormat.writeRecord(write.key(), write.entry(), this.buffer);
			this.writes.add(write);
			write = queue.peek();
		}
		return next;
	}

	private boolean fits(LogWrite next, LogTail tail) {
		int size = LogFormat.recordSize(next.key(), next.entry()) + Batches.ALIGNMENT;
		return this.buffer.remaining() >= size && tail.hasRoomFor(this.buffer.position() + size);
	}

	/** Size of the smallest batch with a write. */
	static int sizeOf(LogWrite write) {
		return Batches.HEADER + LogFormat.recordSize(write.key(), write.entry()) + Batches.ALIGNMENT;
	}

	/**
	 * Appends the batch to the log.
	 * @return number of bytes
	 */
	int appendTo(LogTail tail) throws IOException {
		return tail.append(this.buffer, this.writes.size());
	}

	List<LogWrite> writes() {
		return this.writes;
	}

	void clear() {
		this.writes.clear();
	}

}
