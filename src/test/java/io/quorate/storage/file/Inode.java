package io.quorate.storage.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * A file or a directory as a disk has it: what was fsynced, and what was changed since,
 * in order. Guarded by its disk.
 */
sealed interface Inode {

	int SECTOR = 512;

	/** What was changed and fsynced before is on the disk. */
	void fsynced();

	/** What was changed and not fsynced is in the page cache alone, and clean. */
	void forgetChanges();

	/** A file. */
	final class File implements Inode {

		private byte[] content = new byte[0];

		private int size;

		private final List<Write> changes = new ArrayList<>();

		/** Bytes at an offset, or none for a new size. */
		private static final class Write {

			private final int offset;

			private final byte @Nullable [] bytes;

			private Write(int offset, byte @Nullable [] bytes) {
				this.offset = offset;
				this.bytes = bytes;
			}

		}

		File() {
		}

		File(byte[] content) {
			this.content = content;
			this.size = content.length;
		}

		private File(File other) {
			this(Arrays.copyOf(other.content, other.size));
		}

		void written(long offset, byte[] bytes) {
			this.changes.add(new Write(Math.toIntExact(offset), bytes));
		}

		void truncated(long newSize) {
			this.changes.add(new Write(Math.toIntExact(newSize), null));
		}

		@Override
		public void fsynced() {
			this.changes.forEach(this::apply);
			this.changes.clear();
		}

		@Override
		public void forgetChanges() {
			this.changes.clear();
		}

		/** What is written once the changes are. */
		byte[] writtenBack() {
			File copy = new File(this);
			this.changes.forEach(copy::apply);
			return Arrays.copyOf(copy.content, copy.size);
		}

		/** What is there after a power failure. */
		byte[] afterPowerFailure(@Nullable Random random) {
			File copy = new File(this);
			int kind = (random != null) ? random.nextInt(4) : 0;
			for (Write change : this.changes) {
				if (random != null && (kind == 1 || (kind == 2 && random.nextBoolean()))) {
					copy.apply(change);
				}
				else if (random != null && kind == 3) {
					copy.tear(change, random);
				}
			}
			return Arrays.copyOf(copy.content, copy.size);
		}

		private void apply(Write change) {
			byte[] bytes = change.bytes;
			if (bytes == null) {
				resize(change.offset);
			}
			else {
				put(change.offset, bytes, 0, bytes.length);
			}
		}

		/** Any of its sectors. */
		private void tear(Write change, Random random) {
			byte[] bytes = change.bytes;
			if (bytes == null) {
				if (random.nextBoolean()) {
					apply(change);
				}
				return;
			}
			for (int from = 0; from < bytes.length;) {
				int sectorEnd = (change.offset + from) / SECTOR * SECTOR + SECTOR - change.offset;
				int to = Math.min(bytes.length, sectorEnd);
				if (random.nextBoolean()) {
					put(change.offset, bytes, from, to);
				}
				from = to;
			}
		}

		private void put(int offset, byte[] bytes, int from, int to) {
			if (offset + to > this.size) {
				resize(offset + to);
			}
			System.arraycopy(bytes, from, this.content, offset + from, to - from);
		}

		private void resize(int newSize) {
			if (newSize > this.content.length) {
				this.content = Arrays.copyOf(this.content, Math.max(newSize, 2 * this.content.length));
			}
			if (newSize < this.size) {
				Arrays.fill(this.content, newSize, this.size, (byte) 0);
			}
			this.size = newSize;
		}

	}

	/** A directory. */
	final class Directory implements Inode {

		final Map<String, Inode> now = new TreeMap<>();

		private final Map<String, Inode> durable = new TreeMap<>();

		private final List<Change> changes = new ArrayList<>();

		/** One name less, one name more, or both at once. */
		private record Change(@Nullable String removed, @Nullable String added, @Nullable Inode inode) {

			void applyTo(Map<String, Inode> names) {
				if (this.removed != null) {
					names.remove(this.removed);
				}
				if (this.added != null && this.inode != null) {
					names.put(this.added, this.inode);
				}
			}

		}

		/** As it is found, and was fsynced. */
		void found(String name, Inode inode) {
			this.now.put(name, inode);
			this.durable.put(name, inode);
		}

		void added(String name, Inode inode) {
			changed(new Change(null, name, inode));
		}

		void removed(String name) {
			changed(new Change(name, null, null));
		}

		void renamed(String from, String to, Inode inode) {
			changed(new Change(from, to, inode));
		}

		private void changed(Change change) {
			change.applyTo(this.now);
			this.changes.add(change);
		}

		@Override
		public void fsynced() {
			this.changes.forEach((change) -> change.applyTo(this.durable));
			this.changes.clear();
		}

		@Override
		public void forgetChanges() {
			this.changes.clear();
		}

		/** Which names are there after a power failure. */
		Map<String, Inode> afterPowerFailure(@Nullable Random random) {
			Map<String, Inode> names = new TreeMap<>(this.durable);
			int kind = (random != null) ? random.nextInt(4) : 0;
			int first = (random != null) ? random.nextInt(this.changes.size() + 1) : 0;
			for (int i = 0; i < this.changes.size(); i++) {
				boolean survives = switch (kind) {
					case 1 -> true;
					case 2 -> i < first;
					case 3 -> random != null && random.nextBoolean();
					default -> false;
				};
				if (survives) {
					this.changes.get(i).applyTo(names);
				}
			}
			return names;
		}

	}

}
