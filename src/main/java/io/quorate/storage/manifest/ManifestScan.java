package io.quorate.storage.manifest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quorate.storage.StorageStartException;
import io.quorate.storage.manifest.VersionEdit.TableEdit;

/**
 * A scan of the bytes of a manifest, damaged or not. Reads only. If the manifest is
 * damaged, the live files are a guess from the edits that verify.
 */
public final class ManifestScan {

	private final List<Edit> edits = new ArrayList<>();

	private final List<Damage> damages = new ArrayList<>();

	private final Set<Long> gone = new TreeSet<>();

	private final int version;

	private long sizeBytes;

	private int tornBytes;

	private LiveFiles live = LiveFiles.NONE;

	private ManifestScan(Path file, ByteBuffer bytes) {
		String flaw = ManifestLog.headerFlaw(bytes);
		if (flaw != null) {
			this.damages.add(new Damage(0, ManifestLog.HEADER_SIZE, flaw));
		}
		this.version = (flaw == null) ? ManifestLog.requireReadable(file, bytes) : 0;
		readEdits(bytes);
		if (!applyAll()) {
			this.live = guess();
		}
		noteGone();
	}

	/**
	 * Reads a file.
	 * @throws StorageStartException when a newer program wrote it
	 */
	public static ManifestScan of(Path file) throws IOException {
		return new ManifestScan(file, ByteBuffer.wrap(Files.readAllBytes(file)));
	}

	/**
	 * An edit that verifies.
	 *
	 * @param offset offset at which it begins
	 * @param sizeBytes number of its bytes
	 */
	public record Edit(long offset, long sizeBytes, VersionEdit edit) {
	}

	/**
	 * A range of damaged bytes.
	 *
	 * @param from offset of the first, inclusive
	 * @param to exclusive
	 */
	public record Damage(long from, long to, String why) {
	}

	private void readEdits(ByteBuffer bytes) {
		int offset = ManifestLog.HEADER_SIZE;
		while (offset < bytes.limit()) {
			byte[] payload = ManifestLog.payloadAt(bytes, offset);
			if (payload != null) {
				add(payload, offset);
				offset += ManifestLog.FRAME_OVERHEAD + payload.length;
				continue;
			}
			OptionalInt next = ManifestLog.nextEdit(bytes, offset);
			if (next.isEmpty()) {
				this.tornBytes = bytes.limit() - offset;
				break;
			}
			this.damages.add(new Damage(offset, next.getAsInt(), "the bytes there are no edit"));
			offset = next.getAsInt();
		}
		this.sizeBytes = offset;
	}

	private void add(byte[] payload, int offset) {
		int size = ManifestLog.FRAME_OVERHEAD + payload.length;
		try {
			this.edits.add(new Edit(offset, size, EditCodec.fromBytes(payload)));
		}
		catch (IOException wrong) {
			this.damages.add(new Damage(offset, offset + size, String.valueOf(wrong.getMessage())));
		}
	}

	/**
	 * Applies the edits in order.
	 * @return whether nothing is damaged and no edit contradicts the live files
	 */
	private boolean applyAll() {
		LiveFiles next = LiveFiles.NONE;
		for (Edit edit : this.edits) {
			try {
				next = next.apply(edit.edit());
			}
			catch (IllegalStateException contradiction) {
				if (this.damages.isEmpty()) {
					this.damages.add(new Damage(edit.offset(), edit.offset() + edit.sizeBytes(),
							String.valueOf(contradiction.getMessage())));
				}
			}
		}
		this.live = next;
		return this.damages.isEmpty();
	}

	private LiveFiles guess() {
		Map<Long, TableMeta> tables = new TreeMap<>();
		Map<Long, TableMeta> aside = new TreeMap<>();
		Set<Long> values = new TreeSet<>();
		Map<Long, Long> quarantined = new TreeMap<>();
		Map<Long, Long> forced = new TreeMap<>();
		long segment = 0;
		long last = 0;
		long sequence = 0;
		for (Edit each : this.edits) {
			VersionEdit edit = each.edit();
			TableEdit changed = edit.tables();
			changed.removed().forEach(tables::remove);
			changed.added().forEach((table) -> tables.put(table.number(), table));
			for (Long number : changed.setAside()) {
				TableMeta table = tables.remove(number);
				if (table != null) {
					aside.put(number, table);
				}
			}
			changed.discarded().forEach(aside::remove);
			values.addAll(edit.values().added());
			edit.values().removed().forEach(values::remove);
			quarantined.putAll(changed.quarantined());
			Long first = edit.log().first();
			segment = Math.max(segment, (first != null) ? first : 0);
			Long made = edit.log().last();
			last = (made != null) ? Math.max(last, made) : last;
			edit.log().forcedLengths().forEach((number, length) -> forced.merge(number, length, Math::max));
			sequence = Math.max(sequence, edit.highestSequence());
		}
		quarantined.keySet().retainAll(tables.keySet());
		long firstSegment = segment;
		forced.keySet().removeIf((number) -> number < firstSegment);
		return new LiveFiles(inRunsOfTheirOwn(tables), aside, quarantined, values,
				new LiveFiles.Segments(segment, last, forced), sequence);
	}

	private void noteGone() {
		for (Edit each : this.edits) {
			this.gone.addAll(each.edit().tables().removed());
			this.gone.addAll(each.edit().tables().discarded());
		}
		this.gone.removeAll(this.live.tables().keySet());
		this.gone.removeAll(this.live.aside().keySet());
	}

	/** Tables of a run that are not in order among themselves have to be merged anew. */
	private static Map<Long, TableMeta> inRunsOfTheirOwn(Map<Long, TableMeta> tables) {
		Map<Long, List<TableMeta>> runs = new HashMap<>();
		tables.values().forEach((table) -> runs.computeIfAbsent(table.run(), (_) -> new ArrayList<>()).add(table));
		Map<Long, TableMeta> ordered = new TreeMap<>();
		for (List<TableMeta> run : runs.values()) {
			boolean isOrdered = isOrdered(run);
			run.forEach((table) -> ordered.put(table.number(), isOrdered ? table : alone(table)));
		}
		return ordered;
	}

	private static boolean isOrdered(List<TableMeta> run) {
		return run.stream()
			.allMatch((one) -> run.stream()
				.allMatch((other) -> one.number() == other.number()
						|| (one.level() == other.level() && !one.summary().overlaps(other.summary()))));
	}

	private static TableMeta alone(TableMeta table) {
		return new TableMeta(table.number(), 0, table.number(), table.summary());
	}

	/** Whether the manifest is whole, except for an end that a crash has torn. */
	public boolean isIntact() {
		return this.damages.isEmpty();
	}

	/** The damaged ranges, in order. */
	public List<Damage> damages() {
		return this.damages;
	}

	/** The edits that verify, in order. */
	public List<Edit> edits() {
		return this.edits;
	}

	/** Version of the format; 0 when its header is damaged. */
	public int version() {
		return this.version;
	}

	/** Offset at which the last edit ends. */
	public long sizeBytes() {
		return this.sizeBytes;
	}

	/** Number of bytes behind the last edit that a crash may have left. */
	public int tornBytes() {
		return this.tornBytes;
	}

	/** The live files by the edits that verify. */
	public LiveFiles live() {
		return this.live;
	}

	/** Whether an edit that verifies records that a table is not kept any more. */
	public boolean isGone(long table) {
		return this.gone.contains(table);
	}

	/** The manifest of a directory that has no data. */
	public static ManifestScan empty() {
		ManifestScan none = nothing();
		none.damages.clear();
		return none;
	}

	/** A manifest of which nothing is left. */
	public static ManifestScan nothing() {
		ManifestScan none = new ManifestScan(Path.of(Manifest.FILE_NAME), ByteBuffer.allocate(0));
		none.damages.clear();
		none.damages.add(new Damage(0, 0, "it is missing"));
		return none;
	}

}
