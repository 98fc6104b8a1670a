package io.quorate.repair.move;

import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.membership.exchange.LayoutProgress;
import io.quorate.membership.layout.MemberData;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.reports.MemberReports;
import io.quorate.repair.antientropy.AntiEntropy;
import io.quorate.repair.antientropy.CopyObserver;
import io.quorate.repair.meter.RepairMeters;
import io.quorate.repair.record.OwnRecords;
import io.quorate.storage.Store;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class MoveConfiguration {

	@Bean
	GainedKeys gainedKeys(Layouts layouts) {
		GainedKeys gained = new GainedKeys(layouts);
		layouts.follow(gained);
		return gained;
	}

	@Bean
	Move move(Layouts layouts, AntiEntropy comparisons, MemberReports reports, GainedKeys gained, OwnRecords records,
			Store store, LayoutProgress progress, MeterRegistry registry) {
		Counter received = RepairMeters.MOVED.counter(registry);
		Move move = new Move(layouts, new LayoutCopy.Sources() {

			@Override
			public boolean hasAdopted(String member, long version) {
				return reports.hasAdopted(member, version);
			}

			@Override
			public long entriesOf(String member) {
				MemberData its = reports.dataOf(member);
				return (its != null) ? its.entries() : 0;
			}

			@Override
			public CompletableFuture<Long> copyFrom(String member, CopyObserver observer) {
				return comparisons.fetchAll(member, new CountedCopy(observer, received));
			}

		}, gained, records.horizon(), store, progress);
		layouts.follow(move);
		RepairMeters.MOVE_PROGRESS.gauge(registry, move, Move::share);
		return move;
	}

	/** An observer that counts bytes in a meter, and passes all on to another one. */
	private record CountedCopy(CopyObserver next, Counter received) implements CopyObserver {

		@Override
		public void begun() {
			this.next.begun();
		}

		@Override
		public void passed(int entries) {
			this.next.passed(entries);
		}

		@Override
		public void received(long bytes) {
			this.received.increment((double) bytes);
			this.next.received(bytes);
		}

	}

}
