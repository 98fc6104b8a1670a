package io.quorate.repair.move;

import java.util.concurrent.CompletableFuture;

import io.quorate.clock.HybridClock;
import io.quorate.membership.LayoutProgress;
import io.quorate.membership.Layouts;
import io.quorate.membership.MemberReports;
import io.quorate.repair.antientropy.AntiEntropy;
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
			Store store, HybridClock clock, LayoutProgress progress) {
		Move move = new Move(layouts, new Move.Sources() {

			@Override
			public boolean hasAdopted(String member, long version) {
				return reports.hasAdopted(member, version);
			}

			@Override
			public CompletableFuture<Long> copyFrom(String member) {
				return comparisons.fetchAll(member);
			}

		}, gained, records.horizon(), store, clock::currentMillis, progress::copied);
		layouts.follow(move);
		return move;
	}

}
