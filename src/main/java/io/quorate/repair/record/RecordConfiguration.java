package io.quorate.repair.record;

import java.util.Set;
import java.util.stream.Collectors;

import io.quorate.clock.HybridClock;
import io.quorate.clock.Timestamp;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.Layouts;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class RecordConfiguration {

	/**
	 * The records of this node on the members of the layout that it has adopted.
	 * @param agreement has adopted the last layout that this node knows
	 */
	@Bean
	OwnRecords ownRecords(StorageProperties storage, StoreIdentity identity, Layouts layouts, LayoutAgreement agreement,
			HybridClock clock) {
		Set<String> members = layouts.isMember() ? Set.copyOf(layouts.current().members()) : Set.of();
		return OwnRecords.open(storage.directory(), members, identity.isNew(),
				Timestamp.hybridOfMillis(clock.currentMillis()));
	}

	/**
	 * The history of this node's data, kept for the peers of the layout that it has
	 * adopted.
	 * @param agreement as above
	 */
	@Bean
	Lineage lineage(StorageProperties storage, StoreIdentity identity, Store store, Layouts layouts,
			LayoutAgreement agreement) {
		return Lineage.open(storage.directory(), identity.storageId(),
				layouts.peers().stream().map(Endpoint::id).collect(Collectors.toSet()),
				Lineage.Sources.of(store::durableSequence));
	}

}
