package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Origin;
import io.quorate.replica.PageReply;
import io.quorate.replica.PageRequest;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A node as another one, or the node itself, sees it. Messages take random times and
 * overtake each other; some get lost, or their replies do, or they arrive after their
 * deadlines; some are refused. All but the writes of clients may arrive twice: those a
 * coordinator sends once, and no connection doubles anything.
 */
final class SimulatedLink implements Replica {

	private static final Reason[] REFUSALS = { Reason.OVERLOADED, Reason.DISK_FULL, Reason.DRAINING };

	private static final long SUSPECT_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final SimulatedCluster cluster;

	private final SimulatedCluster.Node from;

	private final SimulatedCluster.Node to;

	private final int starts;

	private final List<Consumer<String>> listeners = new ArrayList<>();

	private boolean isSuspect;

	private long heardNanos;

	SimulatedLink(SimulatedCluster cluster, SimulatedCluster.Node from, SimulatedCluster.Node to) {
		this.cluster = cluster;
		this.from = from;
		this.to = to;
		this.starts = from.starts;
	}

	@Override
	public String nodeId() {
		return this.to.id;
	}

	boolean isSuspect() {
		return this.isSuspect || this.to.isDown;
	}

	void onSuspect(Consumer<String> listener) {
		this.listeners.add(listener);
	}

	@Override
	public Replica planned(long layout) {
		return new Planned(layout);
	}

	@Override
	public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
		return planned(this.from.step.version()).apply(key, entry, origin, deadline);
	}

	@Override
	public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
		return planned(this.from.step.version()).read(key, maxValueBytes, deadline);
	}

	@Override
	public Mono<PageReply> page(PageRequest page, Deadline deadline) {
		return planned(this.from.step.version()).page(page, deadline);
	}

	/** The same node for requests that were planned under a layout. */
	private final class Planned implements Replica {

		private final long layout;

		private Planned(long layout) {
			this.layout = layout;
		}

		@Override
		public String nodeId() {
			return SimulatedLink.this.nodeId();
		}

		@Override
		public Mono<WriteReply> apply(Key key, Entry entry, Origin origin, Deadline deadline) {
			if (origin instanceof Origin.Client) {
				SimulatedLink.this.cluster.watcher.sent(entry, nodeId(), this.layout);
			}
			return send(!(origin instanceof Origin.Client), deadline,
					(its, until) -> its.planned(this.layout).apply(key, entry, origin, until), WriteReply.Failed::new)
				.doOnNext((reply) -> {
					if (reply instanceof WriteReply.Failed(Failure failure)) {
						met(failure);
					}
				});
		}

		@Override
		public Mono<ReadReply> read(Key key, int maxValueBytes, Deadline deadline) {
			return send(true, deadline, (its, until) -> its.planned(this.layout).read(key, maxValueBytes, until),
					ReadReply.Failed::new)
				.doOnNext((reply) -> {
					if (reply instanceof ReadReply.Failed(Failure failure)) {
						met(failure);
					}
				});
		}

		@Override
		public Mono<PageReply> page(PageRequest page, Deadline deadline) {
			return send(true, deadline, (its, until) -> its.planned(this.layout).page(page, until),
					PageReply.Failed::new);
		}

	}

	/* Of two nodes that have adopted different layouts, the one that is behind learns. */
	private void met(Failure failure) {
		if (failure.reason().isOfLayout()) {
			this.cluster.at(transit(), () -> this.cluster.layouts.learn(this.from, this.to));
		}
	}

	private <T> Mono<T> send(boolean isDoubled, Deadline deadline, BiFunction<Replica, Deadline, Mono<T>> request,
			Function<Failure, T> failed) {
		if (isDead()) {
			return Mono.never();
		}
		if (this.to.isDown) {
			return Mono.just(failed.apply(failure(Reason.DISCONNECTED)));
		}
		SimulatedCluster.Carried sent = this.from.carried();
		Supplier<T> work = () -> {
			this.to.hears(this.from, sent);
			return this.to.ask(deadline, request);
		};
		Supplier<T> done = this.cluster.goesWrong(8) ? () -> failed.apply(failure(refusal())) : work;
		if (this.from == this.to && this.cluster.random.nextInt(3) == 0) {
			return Mono.just(done.get());
		}
		Sinks.One<T> sink = Sinks.one();
		int toStarts = this.to.starts;
		this.cluster.at(transit(), () -> arrive(toStarts, done, failed, sink));
		if (isDoubled && this.cluster.goesWrong(4)) {
			this.cluster.at(transit(), () -> {
				if (!this.to.isDown && toStarts == this.to.starts) {
					var _ = done.get();
				}
			});
		}
		this.cluster.at(deadline.nanos() - this.cluster.nanos() + 1,
				() -> end(failed.apply(failure(Reason.TIMEOUT)), sink));
		long sentNanos = this.cluster.nanos();
		this.cluster.at(SUSPECT_AFTER_NANOS, () -> suspectIfSilentSince(sentNanos));
		return sink.asMono();
	}

	private <T> void arrive(int toStarts, Supplier<T> work, Function<Failure, T> failed, Sinks.One<T> sink) {
		long standsStill = this.to.standsStillUntil - this.cluster.nanos();
		if (standsStill > 0) {
			this.cluster.at(standsStill + transit(), () -> arrive(toStarts, work, failed, sink));
		}
		else if (this.to.isDown || toStarts != this.to.starts) {
			end(failed.apply(failure(Reason.FAILED)), sink);
		}
		else if (!this.cluster.goesWrong(3) && !this.cluster.isCut(this.from, this.to)
				&& (this.from != this.to || !isDead())) {
			T reply = work.get();
			boolean isBroken = this.cluster.goesWrong(3);
			if (!this.cluster.goesWrong(3) && !this.cluster.isCut(this.to, this.from)) {
				SimulatedCluster.Carried said = this.to.carried();
				this.cluster.at(transit(),
						() -> heard(said, isBroken ? failed.apply(failure(Reason.FAILED)) : reply, sink));
			}
		}
	}

	private <T> void heard(SimulatedCluster.Carried said, T reply, Sinks.One<T> sink) {
		if (!isDead()) {
			this.from.hears(this.to, said);
		}
		this.isSuspect = false;
		this.heardNanos = this.cluster.nanos();
		end(reply, sink);
	}

	/* Nobody is there any more to hear it once the node that asked was killed. */
	private <T> void end(T reply, Sinks.One<T> sink) {
		if (!isDead()) {
			sink.tryEmitValue(reply);
		}
	}

	private boolean isDead() {
		return this.starts != this.from.starts;
	}

	private void suspectIfSilentSince(long sentNanos) {
		if (!isDead() && this.from != this.to && this.heardNanos < sentNanos && !this.isSuspect) {
			this.isSuspect = true;
			this.listeners.forEach((listener) -> listener.accept(this.to.id));
		}
	}

	/*
	 * Mostly below a millisecond, sometimes much more than most deadlines. Around a
	 * change many messages are under way while nodes adopt it.
	 */
	private long transit() {
		long micros = this.cluster.goesWrong(this.cluster.layouts.isChanging() ? 30 : 4)
				? 1 + this.cluster.random.nextInt(600_000) : 1 + this.cluster.random.nextInt(900);
		return TimeUnit.MICROSECONDS.toNanos(micros);
	}

	private Reason refusal() {
		return REFUSALS[this.cluster.random.nextInt(REFUSALS.length)];
	}

	private static Failure failure(Reason reason) {
		return new Failure(reason, "as the simulation wants");
	}

	/** Suspects every node that is down, or silent on its link. */
	static Suspects suspects(List<SimulatedLink> links) {
		return new Suspects() {

			@Override
			public boolean isSuspect(String node) {
				return links.stream().anyMatch((link) -> link.nodeId().equals(node) && link.isSuspect());
			}

			@Override
			public void onSuspect(Consumer<String> listener) {
				links.forEach((link) -> link.onSuspect(listener));
			}

		};
	}

}
