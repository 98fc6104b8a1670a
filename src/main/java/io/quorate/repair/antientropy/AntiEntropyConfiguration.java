package io.quorate.repair.antientropy;

import java.util.Objects;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.internode.peer.Peers;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.replica.FencedReplica;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.thread.ThreadTime;
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
	Agreements ownAgreements(StoreIdentity identity, HybridClock clock, Rounds rounds,
			ObjectProvider<AgreementListener> listener, MeterRegistry registry) {
		return new Agreements(identity.storageId(), clock, rounds,
				listener.getIfAvailable(() -> AgreementListener.NONE), new ComparisonMetrics(registry));
	}

	@Bean
	LocalSide localSide(Layouts layouts, Store store, FencedReplica local, Agreements agreements) {
		return new LocalSide(new SharedWithPeers(layouts.self(), layouts::current), store, local, agreements,
				ThreadTime.SYSTEM);
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
	AntiEntropy antiEntropy(LocalSide own, Layouts layouts, Peers peers, ComparisonProperties properties) {
		AntiEntropy antiEntropy = new AntiEntropy(own, properties);
		layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				antiEntropy.add(comparisonPeer(Objects.requireNonNull(peers.of(peer.id()), peer::id)));
			}

			@Override
			public void adopted(Layout now) {
				antiEntropy.reassigned();
			}

			@Override
			public void left(String peer) {
				antiEntropy.remove(peer);
			}

		});
		return antiEntropy;
	}

	private static ComparisonPeer comparisonPeer(PeerReplica peer) {
		return new ComparisonPeer(peer.comparison(), peer, peer::latencyNanos);
	}

}
