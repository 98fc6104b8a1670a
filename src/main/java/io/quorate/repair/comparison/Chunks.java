package io.quorate.repair.comparison;

import java.util.ArrayList;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.storage.HeaderPage.Header;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the entries of a comparison into chunks, whose parts are hashed: {@value #PARTS}
 * parts of {@value #PART_KEYS} entries each that both nodes share and that are old
 * enough. A part also ends after {@value #PART_EXAMINED} entries, counted or not, because
 * the other node has to look at about as many.
 */
final class Chunks {

	static final int PART_KEYS = 64;

	static final int PARTS = 64;

	static final int PART_EXAMINED = 512;

	private final Scope scope;

	private final EntryHashes hashes = new EntryHashes();

	private final List<Chunk> finished = new ArrayList<>();

	private final List<RangeHash> parts = new ArrayList<>();

	private RangeHasher chunk;

	private RangeHasher part;

	Chunks(Scope scope, Key start) {
		this.scope = scope;
		this.chunk = new RangeHasher(start);
		this.part = new RangeHasher(start);
	}

	/** Adds the next entry. */
	void add(Header header) {
		if (this.part.count() == PART_KEYS || this.part.examinedCount() == PART_EXAMINED) {
			endPart(header.key());
		}
		this.part.examined();
		if (this.scope.counts(header)) {
			long hash = this.hashes.of(header);
			this.part.add(hash);
			this.chunk.add(hash);
		}
	}

	private void endPart(Key end) {
		this.parts.add(this.part.endingAt(end));
		this.part = new RangeHasher(end);
		if (this.parts.size() == PARTS) {
			this.finished.add(new Chunk(this.chunk.endingAt(end), this.parts));
			this.parts.clear();
			this.chunk = new RangeHasher(end);
		}
	}

	/** The chunks; the last one ends here, as does the sequence. */
	List<Chunk> endingAt(@Nullable Key end) {
		this.parts.add(this.part.endingAt(end));
		this.finished.add(new Chunk(this.chunk.endingAt(end), this.parts));
		return List.copyOf(this.finished);
	}

}
