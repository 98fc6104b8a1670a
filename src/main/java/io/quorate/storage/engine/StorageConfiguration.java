package io.quorate.storage.engine;

import java.time.Duration;

import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.Store;
import io.quorate.storage.StoreOwner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ StorageProperties.class, ClockProperties.class })
class StorageConfiguration {

	@Bean
	@ConditionalOnMissingBean
	TimeSource timeSource() {
		return TimeSource.SYSTEM;
	}

	@Bean
	StoreDirectory storeDirectory(StorageProperties properties, StoreOwner owner, TimeSource time) {
		return StoreDirectory.open(properties.directory(), owner, time);
	}

	@Bean
	HybridClock hybridClock(StoreDirectory directory, StoreOwner owner, TimeSource time, ClockProperties properties) {
		long ceiling = directory.ceiling().lowestStart();
		requireNear("the ceiling of the clock in " + directory.path().resolve("CLOCK"), ceiling, time,
				properties.maxSkew());
		HybridClock clock = new HybridClock(time, owner.ordinal(), directory.ceiling(), ceiling);
		directory.ceiling().follow(clock);
		return clock;
	}

	@Bean
	SkewJudge skewJudge(TimeSource time, ClockProperties properties) {
		return new SkewJudge(time, System::nanoTime, properties.maxSkew());
	}

	@Bean
	PurgePolicy purgePolicy(StoreOwner owner, HybridClock clock) {
		return (owner.zones().size() == 1) ? PurgePolicy.alone(clock::currentMillis) : PurgePolicy.nothing();
	}

	@Bean
	Store store(StorageProperties properties, StoreDirectory directory, HybridClock clock, TimeSource time,
			ClockProperties clockProperties, PurgePolicy purgePolicy) {
		LsmStore store = LsmStore.open(properties, purgePolicy);
		try {
			requireNear("the newest entry in " + directory.path(), store.newest().hybrid(), time,
					clockProperties.maxSkew());
		}
		catch (StorageStartException refused) {
			store.close();
			throw refused;
		}
		clock.observe(store.newest());
		return store;
	}

	private static void requireNear(String what, long hybrid, TimeSource time, Duration maxSkew) {
		long aheadMillis = Timestamp.millisOfHybrid(hybrid) - time.millis();
		if (aheadMillis > maxSkew.toMillis()) {
			throw new StorageStartException(
					"%s is %d ms ahead of this machine's clock, more than quorate.clock.max-skew (%d ms) permits: correct the machine's clock"
						.formatted(what, aheadMillis, maxSkew.toMillis()),
					null);
		}
	}

}
