package io.quorate.repair.purge;

import java.util.Set;
import java.util.stream.Collectors;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.membership.Endpoint;
import io.quorate.membership.Membership;
import io.quorate.membership.Topology;
import io.quorate.replica.ArrivalGate;
import io.quorate.replica.Replicas;
import io.quorate.repair.antientropy.AgreementListener;
import io.quorate.repair.antientropy.Rounds;
import io.quorate.repair.purge.Purging.Terms;
import io.quorate.ring.Member;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

@Configuration(proxyBeanMethods = false)
class PurgeConfiguration {

	@Bean
	ReplicaSets replicaSets(Topology topology) {
		return new ReplicaSets(topology.ring(), topology.self());
	}

	@Bean
	ClusterPurgePolicy clusterPurgePolicy(ReplicaSets sets, PurgeTerms terms, HybridClock clock) {
		return new ClusterPurgePolicy(sets, terms.grace(), clock::currentMillis);
	}

	/** A node without peers needs no agreement. */
	@Bean
	@Primary
	PurgePolicy purgePolicy(Topology topology, ClusterPurgePolicy policy, HybridClock clock) {
		return topology.isAlone() ? PurgePolicy.alone(clock::currentMillis) : policy;
	}

	@Bean
	OwnRecords ownRecords(StorageProperties storage, StoreIdentity identity, Topology topology, HybridClock clock) {
		Set<String> members = topology.ring().members().stream().map(Member::id).collect(Collectors.toSet());
		return OwnRecords.open(storage.directory(), members, identity.isNew(),
				Timestamp.hybridOfMillis(clock.currentMillis()));
	}

	@Bean
	ClusterDeadline clusterDeadline(PurgeTerms terms) {
		return new ClusterDeadline(terms.longestDeadline());
	}

	@Bean
	Purging purging(ReplicaSets sets, OwnRecords records, ClusterPurgePolicy policy, PurgeTerms terms,
			ClusterDeadline deadline, HybridClock clock) {
		return new Purging(sets, new Marks(deadline), records.peers(), records.horizon(), policy,
				new Terms(terms.grace(), clock::currentMillis, System::nanoTime));
	}

	@Bean
	AgreementListener agreements(Purging purging, OwnRecords records) {
		return new PurgeAgreements(purging, records.horizon());
	}

	@Bean
	RebuildState rebuildState(OwnRecords records, Store store, Membership membership, Purging purging,
			StoreIdentity identity) {
		RebuildState state = new RebuildState(records.rebuild(), store.aside().isPresent(), membership, purging);
		if (identity.isRebuildOwed()) {
			state.beginAfterSalvage(identity, !purging.sharing().isEmpty());
		}
		return state;
	}

	@Bean
	Lineage lineage(StorageProperties storage, StoreIdentity identity, Store store, Topology topology) {
		return Lineage.open(storage.directory(), identity.storageId(),
				topology.peers().stream().map(Endpoint::id).collect(Collectors.toSet()),
				Lineage.Sources.of(store::durableSequence));
	}

	@Bean
	Incarnations incarnations(Topology topology, Membership membership, OwnRecords records, RebuildState rebuild,
			HybridClock clock) {
		return new Incarnations(topology, membership, records.peers(), rebuild, clock::currentMillis);
	}

	@Bean
	PeerStatusTracker peerStatusTracker(StoreIdentity identity, Lineage lineage, OwnRecords records, Purging purging,
			RebuildState rebuild, Incarnations incarnations, ClusterDeadline deadline) {
		return new PeerStatusTracker(identity.storageId(), lineage, records.peers(), records.horizon(), purging,
				rebuild, incarnations, deadline);
	}

	@Bean
	ArrivalGate arrivalGate(RebuildState rebuild, OwnRecords records, Rounds rounds) {
		return new ArrivalFence(rebuild, records.horizon(), rounds);
	}

	@Bean
	OwnedKeys ownedKeys(Topology topology, SkewJudge judge, HybridClock clock) {
		return new OwnedKeys(topology.ring(), topology.self(), judge, clock::currentMillis);
	}

	@Bean
	Rebuild rebuild(RebuildState state, PeerStatusTracker memory, OwnRecords records, Replicas replicas,
			ReplicaSets sets, Store store, OwnedKeys ownedKeys, ClusterDeadline deadline) {
		return new Rebuild(state, memory, records.horizon(), new PeerSources(replicas, sets.sharing()), store,
				ownedKeys, deadline);
	}

	@Bean
	RecordWriter recordWriter(OwnRecords records, Lineage lineage, Purging purging, RebuildState rebuild,
			PurgeTerms terms, Membership membership) {
		RecordWriter recordWriter = new RecordWriter(records.peers(), lineage, purging, rebuild, terms.grace());
		membership.onSuspect((_) -> recordWriter.beginGeneration());
		return recordWriter;
	}

	@Bean
	PurgeView purgeView(Purging purging, Membership membership, HybridClock clock) {
		return new PurgeView(purging, membership, Timestamp.hybridOfMillis(clock.currentMillis()));
	}

	@Bean
	PurgeMetrics purgeMetrics(PurgeView view, Membership membership, Rebuild rebuild) {
		return new PurgeMetrics(view, membership, rebuild);
	}

	@Bean
	OperatorCommands operatorCommands(Topology topology, Membership membership, Purging purging, RebuildState rebuild,
			PeerStatusTracker memory) {
		return new OperatorCommands(topology, membership, purging, rebuild, memory);
	}

}
