package io.quorate.storage.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PurgePolicy;

/**
 * A policy that purges at once, but nothing of a key while a write of it is under way: an
 * older entry that arrives after the purge of its deletion would be held. With peers the
 * grace period has that effect.
 */
final class SettledPurge implements PurgePolicy {

	private final PurgePolicy alone;

	private final ConcurrentMap<Key, Integer> underWay = new ConcurrentHashMap<>();

	SettledPurge(LongSupplier nowMillis) {
		this.alone = PurgePolicy.alone(nowMillis);
	}

	/** Begins a write of a key, which is under way until its outcome is there. */
	CompletableFuture<ApplyResult> during(Key key, Supplier<CompletableFuture<ApplyResult>> write) {
		this.underWay.merge(key, 1, Integer::sum);
		return write.get()
			.whenComplete(
					(_, _) -> this.underWay.computeIfPresent(key, (_, writes) -> (writes > 1) ? writes - 1 : null));
	}

	@Override
	public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
		return !this.underWay.containsKey(key);
	}

	@Override
	public Timestamp purgeBefore() {
		return this.alone.purgeBefore();
	}

	@Override
	public long purgeThrough() {
		return this.alone.purgeThrough();
	}

	@Override
	public long expiredBeforeMillis() {
		return this.alone.expiredBeforeMillis();
	}

}
