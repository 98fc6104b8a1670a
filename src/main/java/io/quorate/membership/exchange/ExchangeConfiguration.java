package io.quorate.membership.exchange;

import java.util.concurrent.CompletableFuture;

import io.quorate.clock.SkewJudge;
import io.quorate.membership.agreement.LayoutAgreement;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.Membership;
import io.quorate.membership.reports.MemberReports;
import io.quorate.replica.LocalReplica;
import io.quorate.replica.ReadGate;
import io.quorate.replica.WritesUnderWay;
import io.quorate.storage.Store;
import io.quorate.storage.StoreIdentity;
import io.quorate.storage.StoreStatus;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ExchangeConfiguration {

	/**
	 * The first contacts with the members of the layout that this node has adopted.
	 * @param agreement has adopted the last layout that this node knows
	 */
	@Bean
	InitialContacts initialContacts(Layouts layouts, LayoutAgreement agreement) {
		return new InitialContacts(layouts.peers().stream().map(Endpoint::id).toList());
	}

	@Bean
	ReadGate readGate(StoreIdentity identity, Membership membership, InitialContacts meetings, SkewJudge judge) {
		membership.onMajority(() -> Thread.ofVirtual().name("settle").start(identity::settle));
		return new StoreGate(identity, membership, meetings, judge);
	}

	@Bean
	AdoptedLayoutFence layoutFence(Layouts layouts, MemberReports reports) {
		return new AdoptedLayoutFence(layouts, reports);
	}

	@Bean
	LayoutThread layoutThread(Layouts layouts, LayoutAgreement agreement, MemberReports reports,
			AdoptedLayoutFence fence, LocalReplica local, Store store) {
		return new LayoutThread(layouts, agreement, reports, fence, new LayoutThread.OwnStore() {

			@Override
			public WritesUnderWay.Barrier barrier() {
				return local.underWay().barrier();
			}

			@Override
			public CompletableFuture<Void> onDisk() {
				return store.force();
			}

			@Override
			public StoreStatus status() {
				return store.status();
			}

		});
	}

}
