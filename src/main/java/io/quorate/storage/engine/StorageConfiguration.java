package io.quorate.storage.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.BootTime;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.clock.TrueTime;
import io.quorate.storage.PurgePolicy;
import io.quorate.storage.Scrub;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.StoreOwner;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.directory.StoreDirectory;
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
	SkewJudge skewJudge(TimeSource time, ClockProperties properties) {
		return new SkewJudge(time, System::nanoTime, properties.maxSkew());
	}

	@Bean
	TrueTime trueTime(TimeSource time) {
		return new TrueTime(time, BootTime::nanos);
	}

	@Bean
	FutureStamps futureStamps(TimeSource time, ClockProperties properties) {
		return new FutureStamps(time.millis(), properties.maxSkew(), properties.dropFutureEntries());
	}

	@Bean
	StoreDirectory storeDirectory(StorageProperties properties, StoreOwner owner, SkewJudge judge,
			FutureStamps future) {
		return StoreDirectory.open(properties.directory(), owner, judge::believedMillis, future);
	}

	@Bean
	HybridClock hybridClock(StoreDirectory directory, StoreOwner owner, SkewJudge judge) {
		HybridClock clock = new HybridClock(judge::believedMillis, owner.ordinal(), directory.ceiling(),
				directory.ceiling().lowestStart());
		directory.ceiling().follow(clock);
		return clock;
	}

	@Bean
	Scrub scrub(LsmStore store) {
		return store.scrub();
	}

	@Bean
	LsmStore store(StorageProperties properties, StoreDirectory directory, HybridClock clock, FutureStamps future,
			PurgePolicy purgePolicy, MeterRegistry registry) {
		LsmStore store = StoreOpening.open(properties, purgePolicy, future, registry, directory::renew);
		clock.observe(store.newest());
		return store;
	}

}
