package io.quorate.repair.rebuild;

import java.util.Set;
import java.util.TreeSet;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.repair.antientropy.Rounds;
import io.quorate.repair.move.GainedKeys;
import io.quorate.repair.purge.ClusterDeadline;
import io.quorate.repair.purge.PurgePermission;
import io.quorate.repair.purge.PurgeTerms;
import io.quorate.repair.record.Lineage;
import io.quorate.repair.record.OwnRecords;
import io.quorate.replica.ArrivalFilter;
import io.quorate.replica.Replicas;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.thread.ThreadTime;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class RebuildConfiguration {

	@Bean
	RebuildState rebuildState(OwnRecords records, Store store, Membership membership, PurgePermission purgePermission,
			StoreIdentity identity) {
		RebuildState state = new RebuildState(records.rebuild(), store.aside().isPresent(), membership,
				purgePermission);
		if (identity.isRebuildOwed()) {
			state.beginAfterSalvage(identity, !purgePermission.sharing().isEmpty());
		}
		return state;
	}

	@Bean
	Incarnations incarnations(Layouts layouts, Membership membership, OwnRecords records, RebuildState rebuild,
			HybridClock clock) {
		return new Incarnations(layouts, membership, records.peers(), rebuild,
				Incarnations.numbered(clock::currentMillis));
	}

	@Bean
	PeerStatusTracker peerStatusTracker(Lineage lineage, PurgePermission purgePermission, RebuildState rebuild,
			Incarnations incarnations, ClusterDeadline deadline, Layouts layouts) {
		PeerStatusTracker tracker = new PeerStatusTracker(lineage, purgePermission, rebuild, incarnations, deadline);
		layouts.follow(tracker);
		return tracker;
	}

	@Bean
	ArrivalFilter arrivalFilter(RebuildState rebuild, OwnRecords records, Rounds rounds, GainedKeys gained) {
		return new ArrivalFence(rebuild, records.horizon(), rounds, gained);
	}

	@Bean
	OwnedKeys ownedKeys(Layouts layouts, SkewJudge judge, HybridClock clock) {
		return new OwnedKeys(() -> layouts.current().rings(), layouts.self(), judge, clock::currentMillis);
	}

	@Bean
	PeerSources peerSources(Replicas replicas, Layouts layouts, MemberReports reports,
			PurgePermission purgePermission) {
		return new PeerSources(replicas, () -> withoutDead(purgePermission.sharing(), layouts.current()),
				() -> layouts.isMember() && !reports.isBehind());
	}

	@Bean
	Rebuild rebuild(RebuildState state, PeerStatusTracker tracker, PeerSources sources, Store store,
			OwnedKeys ownedKeys) {
		return new Rebuild(state, tracker, sources, store, ownedKeys, ThreadTime.SYSTEM);
	}

	private static Set<String> withoutDead(Set<String> sharing, Layout layout) {
		Set<String> living = new TreeSet<>(sharing);
		living.removeAll(layout.dead());
		return living;
	}

	@Bean
	RecordWriter recordWriter(OwnRecords records, Lineage lineage, PurgePermission purgePermission,
			RebuildState rebuild, PurgeTerms terms, Membership membership) {
		RecordWriter recordWriter = new RecordWriter(records.peers(), lineage, purgePermission, rebuild, terms.grace());
		membership.onSuspect((_) -> recordWriter.beginGeneration());
		return recordWriter;
	}

	@Bean
	OperatorCommands operatorCommands(Layouts layouts, Membership membership, PurgePermission purgePermission,
			RebuildState rebuild, PeerStatusTracker tracker) {
		return new OperatorCommands(layouts, membership, purgePermission, rebuild, tracker);
	}

	@Bean
	RebuildMetrics rebuildMetrics(Membership membership, Rebuild rebuild) {
		return new RebuildMetrics(membership, rebuild);
	}

}
