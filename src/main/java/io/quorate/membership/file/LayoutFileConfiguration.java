package io.quorate.membership.file;

import io.quorate.consensus.Ledger;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.members.Layouts;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LayoutFileConfiguration {

	/**
	 * The ledger of this node.
	 * @param recovered the store, whose salvage may have given the data another identity;
	 * it knows whether members have ever changed, also when the file of the votes is lost
	 */
	@Bean
	Ledger layoutLedger(StorageProperties storage, StoreIdentity identity, Layouts layouts, Store recovered) {
		boolean isSalvage = storage.recovery() == StorageProperties.Recovery.SALVAGE;
		boolean hasGrown = recovered.assignedVersion() > 0;
		Ledger ledger = new LayoutFile(storage.directory(), identity, isSalvage).open(layouts.self(),
				LayoutAgreement.first(layouts), layouts.isAlone() && !hasGrown);
		layouts.mayHaveLost(ledger.recovered().decisions().latest(), identity.isNew(), hasGrown);
		return ledger;
	}

}
