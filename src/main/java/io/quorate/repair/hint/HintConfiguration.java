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
	HintEnvironment hintEnvironment(Store store, Replicas replicas, Membership membership, HybridClock clock) {
		return new HintEnvironment(replicas::byNode, (member) -> membership.stateOf(member) == MemberState.UP,
				() -> store.status().disk().isFull(), clock::currentMillis, System::nanoTime);
	}

	@Bean
	@ConditionalOnProperty(name = ENABLED, matchIfMissing = true)
	HintedHandoff hintedHandoff(StorageProperties storage, Layouts layouts, HintEnvironment around,
			RepairProperties properties, MeterRegistry registry) {
		Layout adopted = layouts.current();
		/* The first layout is the configuration, and says nothing of later members. */
		List<String> decided = (adopted.version() > Layout.FIRST) ? adopted.members() : null;
		HintedHandoff handoff = new HintedHandoff(storage.directory().resolve(DIRECTORY_NAME), decided, around,
				properties, registry);
		layouts.follow(handoff);
		return handoff;
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
