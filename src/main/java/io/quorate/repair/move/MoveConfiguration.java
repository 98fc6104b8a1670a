package io.quorate.repair.move;

import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
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
	LayoutCopy.Sources copySources(AntiEntropy comparisons, MemberReports reports, MeterRegistry registry) {
		Counter received = RepairMeters.MOVED.counter(registry);
		return new LayoutCopy.Sources() {

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

		};
	}

	@Bean
	Move move(Layouts layouts, LayoutCopy.Sources sources, GainedKeys gained, OwnRecords records, Store store,
			LayoutProgress progress) {
		Move move = new Move(layouts, sources, gained, new Move.Gainer(store, records.horizon(), System::nanoTime),
				progress);
		layouts.follow(move);
		return move;
	}

	@Bean
	MeterBinder moveMeters(Move move) {
		return (registry) -> RepairMeters.MOVE_PROGRESS.gauge(registry, move, Move::share);
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
