package io.quorate.storage.sstable;

import java.io.File;
import java.nio.ByteBuffer;

import org.mapdb.volume.Volume;

/**
 * A volume with the operations that {@code SortedTableMap} uses; it refuses all other
 * operations.
 */
abstract class PartialVolume extends Volume {

	/** Length of the header in front of the first page's nodes, in bytes. */
	static final int HEADER_SIZE_BYTES = 64;

	@Override
	public void ensureAvailable(long offset) {
		throw refused();
	}

	@Override
	public void truncate(long size) {
		throw refused();
	}

	@Override
	public void putLong(long offset, long value) {
		throw refused();
	}

	@Override
	public void putInt(long offset, int value) {
		throw refused();
	}

	@Override
	public void putByte(long offset, byte value) {
		throw refused();
	}

	@Override
	public void putData(long offset, byte[] source, int position, int size) {
		throw refused();
	}

	@Override
	public void putData(long offset, ByteBuffer source) {
		throw refused();
	}

	@Override
	public void getData(long offset, byte[] target, int position, int size) {
		throw refused();
	}

	@Override
	public void clear(long startOffset, long endOffset) {
		throw refused();
	}

	@Override
	public void sync() {
		throw refused();
	}

	/** Zero: there are no slices that a page would have to fit into. */
	@Override
	public int sliceSize() {
		return 0;
	}

	@Override
	public boolean isSliced() {
		return false;
	}

	@Override
	public File getFile() {
		throw refused();
	}

	@Override
	public boolean getFileLocked() {
		return false;
	}

	private static UnsupportedOperationException refused() {
		return new UnsupportedOperationException("sorted tables do not use this");
	}

}
