package io.quorate.backup;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.TimeSource;
import io.quorate.membership.members.Membership;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.Store;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(BackupProperties.class)
class BackupConfiguration {

	@Bean
	Backups backups(Store store, Membership membership, StorageProperties storage, BackupProperties properties,
			TimeSource time, MeterRegistry registry) {
		Backups backups = new Backups(store, membership::isRebuilding, properties.directory(storage.directory()),
				properties.keep(), time);
		BackupGauges.register(backups, registry);
		var _ = backups.look();
		return backups;
	}

	/** Registers gauges for the present backups. */
	static final class BackupGauges {

		private BackupGauges() {
		}

		static void register(Backups backups, MeterRegistry registry) {
			BackupMeters.AGE.gauge(registry, backups, Backups::ageSeconds);
		}

	}

}
