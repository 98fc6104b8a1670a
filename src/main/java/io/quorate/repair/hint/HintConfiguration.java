package io.quorate.repair.hint;

import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.membership.members.MemberState;
import io.quorate.membership.members.Membership;
import io.quorate.repair.HintBacklogs;
import io.quorate.repair.HintSink;
import io.quorate.repair.RepairProperties;
import io.quorate.replica.Replicas;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import io.quorate.storage.StoreStatus;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class HintConfiguration {

	private static final String ENABLED = "quorate.repair.hints.enabled";

	/** In the directory of the store, which the store has locked. */
	static final String DIRECTORY_NAME = "hints";

	@Bean
	@ConditionalOnProperty(name = ENABLED, matchIfMissing = true)
	HintedHandoff hintedHandoff(StorageProperties storage, Store store, Replicas replicas, Layouts layouts,
			Membership membership, HybridClock clock, RepairProperties properties, MeterRegistry registry) {
		HintEnvironment around = new HintEnvironment(replicas::byNode,
				(member) -> membership.stateOf(member) == MemberState.UP, () -> isFull(store.status()),
				clock::currentMillis, System::nanoTime);
		Layout adopted = layouts.current();
		/* The first layout is the configuration, and says nothing of later members. */
		List<String> decided = (adopted.version() > Layout.FIRST) ? adopted.members() : null;
		HintedHandoff handoff = new HintedHandoff(storage.directory().resolve(DIRECTORY_NAME), decided, around,
				properties, registry);
		layouts.follow(handoff);
		return handoff;
	}

	private static boolean isFull(StoreStatus status) {
		return status.disk().isFull();
	}

	@Bean
	@ConditionalOnProperty(name = ENABLED, havingValue = "false")
	HintSink forgottenWrites() {
		return HintSink.FORGOTTEN;
	}

	@Bean
	@ConditionalOnProperty(name = ENABLED, havingValue = "false")
	HintBacklogs noHints() {
		return List::of;
	}

}
