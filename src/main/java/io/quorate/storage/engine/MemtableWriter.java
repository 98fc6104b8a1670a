package io.quorate.storage.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.Arrivals;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.record.StoredEntry.Payload;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.values.ValueWriter;
import io.quorate.storage.wal.LogTarget;
import io.quorate.storage.wal.LogThrottle;
import io.quorate.storage.wal.LogWrite;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The target of the log: inserts each batch that the log has written into the memtable,
 * and begins a memtable with each segment. Called on the log's thread.
 */
final class MemtableWriter implements LogTarget {

	private static final Logger log = LoggerFactory.getLogger(MemtableWriter.class);

	private final Views views;

	private final ValueFiles values;

	private final ValueWriter valueWriter;

	private final DiskSpace disk;

	private final WriteAdmission writeAdmission;

	private final StorageProperties properties;

	private final Runnable onSealed;

	private volatile boolean rotationAsked;

	/* Of one thread. */
	private long lastSequence;

	private volatile long sealedThrough;

	private final Arrivals arrivals;

	/**
	 * A target that writes into the active memtable of the present view.
	 * @param onSealed runs when a memtable is sealed
	 */
	MemtableWriter(Recovered recovered, ValueWriter valueWriter, DiskSpace disk, WriteAdmission writeAdmission,
			StorageProperties properties, Runnable onSealed) {
		this.views = recovered.files().views();
		this.values = recovered.files().values();
		this.lastSequence = recovered.log().nextSequence() - 1;
		this.sealedThrough = this.lastSequence;
		this.arrivals = new Arrivals(this.lastSequence, System::nanoTime);
		this.valueWriter = valueWriter;
		this.disk = disk;
		this.writeAdmission = writeAdmission;
		this.properties = properties;
		this.onSealed = onSealed;
	}

	/** Seals the memtable before the next batch, however full it is. */
	void askForRotation() {
		this.rotationAsked = true;
	}

	/** What has arrived lately. */
	Arrivals arrivals() {
		return this.arrivals;
	}

	/** The highest sequence number of all that is not in the active memtable. */
	long sealedThrough() {
		return this.sealedThrough;
	}

	@Override
	public LogThrottle pace() {
		return this.writeAdmission.pace();
	}

	@Override
	public boolean wantsRotation(double share) {
		return this.rotationAsked || this.writeAdmission.isMemtableFull(share);
	}

	@Override
	public boolean mayRotate() {
		return this.views.peek().sealed().size() < maxMemtables();
	}

	@Override
	public int maxMemtables() {
		return this.properties.maxMemtables();
	}

	@Override
	public boolean hasLost(Key key) {
		return this.views.peek().floors().isLost(key.hash64());
	}

	@Override
	public void rotated(long segment) {
		this.rotationAsked = false;
		this.sealedThrough = this.lastSequence;
		this.views.seal(segment, this.values);
		this.onSealed.run();
	}

	@Override
	public @Nullable StorageException forceValues() throws IOException {
		try {
			this.valueWriter.force();
			return null;
		}
		catch (IOException failure) {
			if (this.disk.causedBy(failure)) {
				return this.disk.exception();
			}
			throw failure;
		}
	}

	@Override
	public void written(List<LogWrite> batch) {
		View view = this.views.retain();
		try {
			Memtable memtable = view.active().memtable();
			for (LogWrite write : batch) {
				write.resolve((write.entry().payload() instanceof Promised)
						? new ApplyResult.Applied(write.entry().sequence())
						: insert(view, memtable, write.key(), write.entry()));
				release(write.entry().payload());
			}
			this.lastSequence = batch.getLast().entry().sequence();
			view.active().reached(this.lastSequence);
			this.arrivals.arrived(this.lastSequence, () -> names(view, batch));
		}
		finally {
			view.release();
		}
	}

	/* What was held before, or is older than what is held, is no arrival. */
	private static List<Arrivals.Name> names(View view, List<LogWrite> batch) {
		List<Arrivals.Name> names = new ArrayList<>(batch.size());
		for (LogWrite write : batch) {
			StoredEntry entry = write.entry();
			if (entry.payload() instanceof Promised || isLost(view, write.key())) {
				continue;
			}
			switch (write.result()) {
				case ApplyResult.Applied(var sequence) when sequence == entry.sequence() ->
					names.add(new Arrivals.Name(write.key(), sequence, entry.summary()));
				case ApplyResult.Superseded beyond when !beyond.isCertain() ->
					names.add(new Arrivals.Name(write.key(), entry.sequence(), entry.summary(), false));
				case null, default -> {
				}
			}
		}
		return names;
	}

	private static boolean isLost(View view, Key key) {
		return view.floors().hasLost() && view.floors().isLost(key.hash64());
	}

	private ApplyResult insert(View view, Memtable memtable, Key key, StoredEntry entry) {
		if (entry.payload() instanceof Reference reference && !memtable.valueFiles().contains(reference.file())) {
			this.values.retain(List.of(reference.file()));
		}
		if (isLost(view, key)) {
			memtable.leaveOut(entry);
			return new ApplyResult.Applied(entry.sequence());
		}
		ApplyResult result = memtable.insert(key, entry);
		if (result instanceof ApplyResult.Superseded) {
			return result;
		}
		ApplyResult newer = view.newerThan(entry.timestamp(), key);
		return (newer != null) ? newer : result;
	}

	/**
	 * Releases the value file of an entry that is not on its way to the memtable any
	 * more.
	 */
	void release(Payload payload) {
		if (payload instanceof Reference reference) {
			this.values.release(List.of(reference.file()));
		}
	}

	@Override
	public void failed(StorageFailedException cause) {
		log.error("The store in {} takes no writes until it is restarted: {}", this.properties.directory(),
				cause.getMessage(), cause);
	}

}
