package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.storage.PageLimit;
import io.quorate.storage.ScanPage;
import io.quorate.storage.SetAsideData;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.floor.Floors;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.sstable.TableCursor;
import io.quorate.storage.sstable.TableSummary;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets tables aside, and discards them.
 * <p>
 * Invariants: (1) one edit of the manifest sets all tables aside, and one edit discards
 * them; (2) that is done on the flusher's thread while no compaction is under way, so
 * that no other thread adds or removes tables; (3) files have their hard links before the
 * edit that discards them, and lose their original names after it.
 */
final class SetAsideStore {

	private static final Logger log = LoggerFactory.getLogger(SetAsideStore.class);

	private final Views views;

	private final SetAsideTables tables;

	private final Tables files;

	private final AsideDirectory directory;

	private final Manifest manifest;

	private final EntryReader reader;

	private final Flusher flusher;

	private final Compactor compactor;

	SetAsideStore(OpenFiles files, AsideDirectory directory, EntryReader reader, Flusher flusher, Compactor compactor) {
		this.views = files.views();
		this.tables = files.aside();
		this.files = files.tables();
		this.directory = directory;
		this.manifest = files.manifest();
		this.reader = reader;
		this.flusher = flusher;
		this.compactor = compactor;
	}

	/** Sets all tables aside. */
	CompletableFuture<SetAsideData> setAside() {
		return this.compactor.pause()
			.thenCompose((_) -> this.flusher.meanwhile(this::setTablesAside))
			.whenComplete((_, _) -> this.compactor.resume());
	}

	private SetAsideData setTablesAside() {
		List<TableHandle> live = this.views.peek().tables();
		if (!live.isEmpty()) {
			this.manifest.append(VersionEdit.setAside(metas(live)));
			this.tables.add(live);
			this.views.replace((view) -> new View(view.active(), view.sealed(), List.of(), view.floors()));
			log.warn("{} tables were set aside, and the store goes on without them", live.size());
		}
		return new Kept(this.tables.current());
	}

	/** The tables that are set aside now. */
	Optional<SetAsideData> aside() {
		List<TableHandle> current = this.tables.current();
		return current.isEmpty() ? Optional.empty() : Optional.of(new Kept(current));
	}

	private void discard(List<TableHandle> unwanted) throws IOException {
		List<TableHandle> present = unwanted.stream().filter(this.tables.current()::contains).toList();
		if (present.isEmpty()) {
			return;
		}
		this.manifest.requireUsable();
		Path kept = this.directory.keep(metas(present));
		this.manifest.append(VersionEdit.discarded(metas(present)));
		this.tables.remove(present);
		log.warn("{} tables that were set aside are given up; their files are in {}, to be deleted by hand",
				present.size(), kept);
	}

	private CompletableFuture<ScanPage> page(List<TableHandle> kept, ScanRange range, PageLimit limit,
			Executor callbacks) {
		List<TableHandle> readable = this.tables.readable(kept);
		return this.reader.wholePage(new HeldTables(readable, this.views.peek().floors()), range, limit, callbacks)
			.exceptionallyCompose((failure) -> {
				TableHandle damaged = damaged(readable, failure);
				if (damaged == null) {
					return CompletableFuture.failedFuture(failure);
				}
				this.tables.leaveOut(damaged);
				return page(kept, range, limit, callbacks);
			});
	}

	private static @Nullable TableHandle damaged(List<TableHandle> tables, Throwable failure) {
		if (!(failure instanceof StorageCorruptedException damage)) {
			return null;
		}
		return tables.stream()
			.filter((table) -> Tables.isNamed(damage.file(), table.meta().number()))
			.findFirst()
			.orElse(null);
	}

	private SetAsideData.Unread unread(TableHandle table) {
		TableSummary summary = table.meta().summary();
		return new SetAsideData.Unread(this.files.path(table.meta().number()), summary.counts().entries(),
				summary.keys().smallest(), summary.keys().largest());
	}

	private static List<TableMeta> metas(List<TableHandle> tables) {
		return tables.stream().map(TableHandle::meta).toList();
	}

	/** The data of some tables that are or were set aside. */
	private final class Kept implements SetAsideData {

		private final List<TableHandle> kept;

		private Kept(List<TableHandle> kept) {
			this.kept = kept;
		}

		@Override
		public CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
			try {
				return SetAsideStore.this.page(this.kept, ScanRange.ascending(start, end), limit, callbacks);
			}
			catch (StorageFailedException discarded) {
				return CompletableFuture.failedFuture(discarded);
			}
		}

		@Override
		public List<Unread> unread() {
			List<TableHandle> readable = SetAsideStore.this.tables.readable(this.kept);
			return this.kept.stream()
				.filter((table) -> !readable.contains(table))
				.map(SetAsideStore.this::unread)
				.toList();
		}

		@Override
		public long entries() {
			return this.kept.stream().mapToLong((handle) -> handle.meta().summary().counts().entries()).sum();
		}

		@Override
		public long sizeBytes() {
			return this.kept.stream().mapToLong((handle) -> handle.meta().summary().sizeBytes()).sum();
		}

		@Override
		public CompletableFuture<Void> discard() {
			return SetAsideStore.this.flusher.<@Nullable Void>meanwhile(() -> {
				SetAsideStore.this.discard(this.kept);
				return null;
			}).thenAccept((_) -> {
			});
		}

	}

	/** The tables of one page, with a reference to each. */
	private static final class HeldTables extends Source {

		private final List<TableHandle> tables;

		private final Floors floors;

		private HeldTables(List<TableHandle> tables, Floors floors) {
			this.tables = tables;
			this.floors = floors;
			for (int i = 0; i < tables.size(); i++) {
				if (!tables.get(i).tryRetain()) {
					tables.subList(0, i).forEach(RefCounted::release);
					throw new StorageFailedException("the set-aside data is discarded, or the store is closed", null);
				}
			}
		}

		@Override
		List<TableCursor> cursors(ScanRange range) {
			return cursors(this.tables, TableHandle::pages, range, this.floors);
		}

		@Override
		void dispose() {
			this.tables.forEach(RefCounted::release);
		}

	}

}
