package io.quorate.operations;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Sets how the kernel schedules a node before it has made any thread that works: each has
 * from its maker how it is scheduled.
 */
public final class SchedulingInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		Binder.get(context.getEnvironment())
			.bind(Scheduling.PROPERTY, Scheduling.class)
			.orElse(Scheduling.BATCH)
			.begin();
	}

}
