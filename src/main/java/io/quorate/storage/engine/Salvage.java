package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.quorate.clock.TimeSource;
import io.quorate.security.LoggedKey;
import io.quorate.storage.Compression;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.directory.DirectoryCheck.Finding;
import io.quorate.storage.directory.DirectoryCheck;
import io.quorate.storage.directory.SalvageMark;
import io.quorate.storage.floor.FlooredCursor;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.manifest.LiveFiles;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.SortedTable;
import io.quorate.storage.sstable.TableBuilder;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableFormat;
import io.quorate.storage.wal.LogReplay;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A start over damaged files. Entries that verify are taken, damaged files are kept in
 * {@code aside/<instant>}, and losses are logged and recorded in {@code SALVAGED}. The
 * data gets another identity before any file is changed, so that the node is known to
 * have lost data even if the salvage fails. An unfinished salvage may be begun again at
 * the next start.
 */
final class Salvage {

	private static final Logger log = LoggerFactory.getLogger(Salvage.class);

	private final Path directory;

	private final TableFormat format;

	private final Compression compression;

	private final Identity identity;

	private final boolean on;

	private final List<String> lost = new ArrayList<>();

	private Set<Long> segments = Set.of();

	private Set<Long> missingValues = Set.of();

	private Salvage(Path directory, TableFormat format, Compression compression, Identity identity, boolean on) {
		this.directory = directory;
		this.format = format;
		this.compression = compression;
		this.identity = identity;
		this.on = on;
	}

	/** The identity of the data of a directory. */
	@FunctionalInterface
	interface Identity {

		/** Replaces the identity by another one, durably. */
		void renew() throws IOException;

	}

	/** The salvage that the properties ask for, unless it was done already. */
	static Salvage of(StorageProperties properties, TableFormat format, Identity identity) {
		boolean asked = properties.recovery() == StorageProperties.Recovery.SALVAGE;
		SalvageMark mark = SalvageMark.of(properties.directory());
		boolean done = asked && mark.isThere() && !mark.isUnfinished();
		if (done) {
			log.warn(
					"quorate.storage.recovery=salvage has no effect any more: {} was salvaged at {}. Remove the property;"
							+ " to salvage once more delete {} first",
					properties.directory(), mark.when(), mark.file().path());
		}
		return new Salvage(properties.directory(), format, properties.compression(), identity, asked && !done);
	}

	boolean isOn() {
		return this.on;
	}

	/** Whether data was lost. */
	boolean hasLost() {
		return !this.lost.isEmpty();
	}

	/** Whether a segment has damage to records that were fsynced. */
	boolean isDamaged(long segment) {
		return this.segments.contains(segment);
	}

	/**
	 * Repairs a directory so that it can be opened, and opens its manifest.
	 * @param floors of the directory: a table that is written anew has no hidden entry
	 * @throws io.quorate.storage.StorageStartException when a newer program wrote a file
	 */
	Manifest open(Floors floors) throws IOException {
		log.warn("quorate.storage.recovery=salvage: everything in {} is verified, which takes a while", this.directory);
		DirectoryCheck directoryCheck = new DirectoryCheck(this.directory, this.format);
		SalvageMark mark = SalvageMark.of(this.directory);
		if (directoryCheck.isClean() && mark.isUnfinished()) {
			this.lost.add("the entries that an earlier, unfinished salvage had to leave out");
			return Manifest.open(this.directory);
		}
		if (directoryCheck.isClean()) {
			log.warn("Nothing had to be salvaged. Remove quorate.storage.recovery=salvage");
			return Manifest.open(this.directory);
		}
		this.identity.renew();
		mark.begin();
		Path kept = keep(directoryCheck);
		this.segments = directoryCheck.damagedSegments();
		this.missingValues = directoryCheck.missingValues();
		this.lost.addAll(directoryCheck.lost());
		if (!directoryCheck.isManifestWhole()) {
			Manifest.write(this.directory, directoryCheck.live());
		}
		Manifest manifest = Manifest.open(this.directory);
		try {
			long number = directoryCheck.highestTable();
			for (Finding finding : directoryCheck.damagedTables()) {
				this.lost.add(mend(manifest, finding, ++number, floors));
			}
			giveUpMissing(manifest);
		}
		catch (IOException | RuntimeException | Error failure) {
			manifest.close();
			throw failure;
		}
		this.lost.forEach((loss) -> log.warn("Lost: {}", loss));
		log.warn("{} losses are logged above; the files that did not verify are kept in {}", this.lost.size(), kept);
		return manifest;
	}

	/**
	 * Keeps the damaged files: those to be rewritten in place are copied, all others
	 * hard-linked.
	 */
	private Path keep(DirectoryCheck directoryCheck) throws IOException {
		List<Path> links = new ArrayList<>();
		for (Finding finding : directoryCheck.damagedTables()) {
			if (!finding.missing()) {
				links.add(file(finding.meta().number()));
			}
		}
		List<Path> copies = directoryCheck.damagedSegments()
			.stream()
			.map((number) -> LogReplay.file(this.directory.resolve("wal"), number))
			.collect(Collectors.toList());
		Path manifest = this.directory.resolve(Manifest.FILE_NAME);
		if (!directoryCheck.isManifestWhole() && Files.exists(manifest)) {
			copies.add(manifest);
		}
		return new AsideDirectory(this.directory, TimeSource.SYSTEM).keep(links, copies);
	}

	/** Replaces a table by one with its readable entries, and describes the loss. */
	private String mend(Manifest manifest, Finding finding, long number, Floors floors) throws IOException {
		TableMeta old = finding.meta();
		TableMeta mended = finding.readable() ? rewrite(old, number, floors) : null;
		manifest.append(VersionEdit.compaction(List.of(old), (mended != null) ? List.of(mended) : List.of()));
		long taken = (mended != null) ? mended.summary().counts().entries() : 0;
		return "%s: %d of %d entries between %s and %s (%s)".formatted(file(old.number()),
				old.summary().counts().entries() - taken, old.summary().counts().entries(),
				LoggedKey.of(old.summary().keys().smallest()), LoggedKey.of(old.summary().keys().largest()),
				why(finding, taken));
	}

	private static String why(Finding finding, long taken) {
		if (finding.missing()) {
			return "it is missing";
		}
		if (!finding.damages().isEmpty()) {
			return finding.damages()
				.stream()
				.map((damage) -> "offset " + damage.offset())
				.collect(Collectors.joining(", ", "damaged at ", ""));
		}
		return (taken < finding.meta().summary().counts().entries()) ? "a value file is missing"
				: "quarantined, and intact now";
	}

	private @Nullable TableMeta rewrite(TableMeta old, long number, Floors floors) throws IOException {
		try (SortedTable table = this.format.open(file(old.number()));
				TableBuilder builder = this.format.create(file(number), old.summary().counts().entries(),
						this.compression)) {
			TableCursor cursor = new FlooredCursor(table.intact((_) -> {
			}), floors);
			KeyedEntry next = cursor.next();
			while (next != null) {
				if (!FlooredCursor.isHidden(next) && !isMissing(next.entry())) {
					builder.add(next.key(), next.entry());
				}
				next = cursor.next();
			}
			return (builder.entries() > 0) ? new TableMeta(number, old.level(), old.run(), builder.finish()) : null;
		}
	}

	private boolean isMissing(StoredEntry entry) {
		return entry.payload() instanceof Reference reference && this.missingValues.contains(reference.file());
	}

	/**
	 * Drops missing tables from the set-aside data, and records the loss. These are not
	 * read as live tables, so nothing else depends on them.
	 */
	private void giveUpMissing(Manifest manifest) {
		LiveFiles live = manifest.live();
		List<TableMeta> missing = live.aside()
			.values()
			.stream()
			.filter((meta) -> !Files.exists(file(meta.number())))
			.toList();
		if (!missing.isEmpty()) {
			manifest.append(VersionEdit.discarded(missing));
			missing.forEach((meta) -> this.lost.add(file(meta.number()) + ", which was set aside: it is missing"));
		}
	}

	/**
	 * Records that the directory is salvaged, once all salvaged entries are in tables.
	 */
	void finish() throws IOException {
		SalvageMark.of(this.directory).write(Instant.ofEpochMilli(TimeSource.SYSTEM.millis()).toString(), this.lost);
		log.warn("{} is salvaged, and has another identity. Remove quorate.storage.recovery=salvage", this.directory);
	}

	private Path file(long table) {
		return TableFormat.FILES.path(this.directory.resolve("tables"), table);
	}

}
