package io.quorate.repair.rebuild;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.internode.DataStatus;
import io.quorate.internode.Position;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.repair.purge.ClusterDeadline;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.repair.record.Lineage;
import io.quorate.repair.record.RebuildRecord;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.ReadResult;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.engine.LsmStore;
import io.quorate.storage.engine.StoreOpening;
import io.quorate.storage.thread.DrivenTime;
import io.quorate.storage.thread.ThreadTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static io.quorate.repair.rebuild.ScriptedSources.live;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The rebuild of a node, which a test does in the stead of its thread. */
abstract class DrivenRebuild {

	static final UUID OURS = new UUID(1, 1);

	@TempDir
	Path directory;

	final ScriptedSources peers = new ScriptedSources();

	PurgeFixture node;

	Membership membership;

	RebuildState state;

	Lineage lineage;

	PeerStatusTracker tracker;

	LsmStore store;

	final DrivenTime time = new DrivenTime();

	private Rebuild rebuild;

	Ring ring = PurgeFixture.RING;

	volatile Supplier<@Nullable StorageException> failure = () -> null;

	UnsteadyStore unsteady;

	@BeforeEach
	void start() {
		start(Duration.ZERO);
	}

	final void start(Duration wait) {
		this.node = new PurgeFixture(this.directory, this.ring);
		Layouts layouts = new Layouts("n1", new Layout(Layout.FIRST, List.of(), this.ring));
		this.membership = new Membership(layouts);
		StorageProperties properties = new Binder(new MapConfigurationPropertySource(
				Map.of("quorate.storage.directory", this.directory.resolve("store").toString())))
			.bindOrCreate("quorate.storage", StorageProperties.class);
		this.store = StoreOpening.open(properties, PurgePolicy.nothing());
		this.state = new RebuildState(RebuildRecord.open(this.directory), this.store.aside().isPresent(),
				this.membership, this.node.purgePermission);
		this.lineage = Lineage.open(this.directory, OURS, Set.of("n2", "n3"),
				Lineage.Sources.of(this.store::durableSequence));
		this.tracker = new PeerStatusTracker(
				this.lineage, this.node.purgePermission, this.state, new Incarnations(layouts, this.membership,
						this.node.records, this.state, Incarnations.numbered(System::currentTimeMillis)),
				new ClusterDeadline(wait));
		this.unsteady = new UnsteadyStore(this.store, () -> this.failure.get());
		this.rebuild = rebuild(this.time);
	}

	Rebuild rebuild(ThreadTime itsTime) {
		return new Rebuild(this.state, this.tracker, this.peers, this.unsteady.front(),
				new OwnedKeys(() -> RingPair.of(this.ring), "n1",
						new SkewJudge(TimeSource.SYSTEM, System::nanoTime, Duration.ofSeconds(30)),
						System::currentTimeMillis),
				itsTime);
	}

	@AfterEach
	void stop() {
		this.store.close();
	}

	void apply(String key, Entry entry) throws Exception {
		assertThat(this.store.apply(Key.of(key), entry, Runnable::run).get(1, TimeUnit.MINUTES))
			.isInstanceOf(ApplyResult.Applied.class);
	}

	/** Entries {@code own-0} and so on. */
	void applyMany(int entries, long stamp) throws Exception {
		List<CompletableFuture<ApplyResult>> writes = new ArrayList<>();
		for (int i = 0; i < entries; i++) {
			writes.add(this.store.apply(Key.of("own-" + i), live(stamp, "x"), Runnable::run));
		}
		CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
	}

	ReadResult held(String key) throws Exception {
		return this.store.read(Key.of(key), Runnable::run).get(1, TimeUnit.MINUTES);
	}

	/* ScriptedSources give signs of life all the time. */
	void awaitRebuilt(long horizon2, long horizon3) {
		rebuildUntil(() -> {
			hear(horizon2, horizon3);
			return !this.state.isRebuilding();
		});
	}

	/* The rebuild is interrupted in its rest, as by a stop. */
	void rebuildUntil(BooleanSupplier there) {
		long end = this.time.nanos() + Duration.ofHours(1).toNanos();
		AtomicBoolean isThere = new AtomicBoolean();
		this.time.meanwhile(() -> {
			isThere.set(there.getAsBoolean());
			if (isThere.get() || this.time.nanos() >= end) {
				Thread.currentThread().interrupt();
			}
		});
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> {
			while (true) {
				this.rebuild.turn();
			}
		});
		assertThat(isThere).isTrue();
	}

	void rebuildFor(Duration duration) {
		long end = this.time.nanos() + duration.toNanos();
		rebuildUntil(() -> {
			hear(0, 0);
			return this.time.nanos() >= end;
		});
		assertThat(this.state.isRebuilding()).isTrue();
	}

	void hear(long horizon2, long horizon3) {
		this.tracker.heard("n2", new UUID(2, 2), new DataStatus(Position.ofSequence(1), false,
				new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), horizon2, 0, 0));
		this.tracker.heard("n3", new UUID(3, 3), new DataStatus(Position.ofSequence(1), false,
				new DataStatus.Incarnation(0, PurgeFixture.HISTORY, false), horizon3, 0, 0));
	}

}
