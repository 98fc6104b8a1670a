package io.quorate.repair.antientropy;

import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.peer.Peers;
import io.quorate.membership.Endpoint;
import io.quorate.membership.Layouts;
import io.quorate.replica.LocalReplica;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ComparisonProperties.class)
class AntiEntropyConfiguration {

	@Bean
	Rounds rounds(HybridClock clock) {
		return new Rounds(clock.currentHybrid());
	}

	@Bean
	LocalSide localSide(Layouts layouts, Store store, StoreIdentity identity, LocalReplica local, HybridClock clock,
			Rounds rounds, ObjectProvider<AgreementListener> listener, MeterRegistry registry) {
		ComparisonMetrics metrics = new ComparisonMetrics(registry,
				layouts.peers().stream().map(Endpoint::id).toList());
		return new LocalSide(layouts, store, identity, local, clock, rounds,
				listener.getIfAvailable(() -> AgreementListener.NONE), metrics);
	}

	@Bean
	ComparisonResponder comparisonResponder(LocalSide own) {
		return new ComparisonResponder(own);
	}

	@Bean
	StoreDigest storeDigest(LocalSide own) {
		return new StoreDigest(own);
	}

	@Bean
	AntiEntropy antiEntropy(LocalSide own, Peers peers, ComparisonProperties properties) {
		return new AntiEntropy(own,
				peers.all()
					.stream()
					.collect(Collectors.toMap(PeerReplica::nodeId, AntiEntropyConfiguration::comparisonPeer)),
				properties);
	}

	private static ComparisonPeer comparisonPeer(PeerReplica peer) {
		return new ComparisonPeer(peer.comparison(), peer, peer::latencyNanos);
	}

}
