package io.quorate.api.watch;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.quorate.api.request.ApiProperties;
import io.quorate.clock.TimeSource;
import io.quorate.security.LoggedKey;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class WatchConfiguration {

	@Bean
	Traces traces(ObjectProvider<Tracer> tracer, ObjectProvider<Propagator> propagator) {
		LoggedKey.prepare();
		Tracer found = tracer.getIfAvailable();
		return (found != null) ? new SpanTraces(found, propagator.getObject(), TimeSource.SYSTEM) : Traces.NONE;
	}

	@Bean
	SlowRequests slowRequests(ApiProperties properties) {
		LoggedKey.prepare();
		return new SlowRequests(properties.slowRequest(), System::nanoTime);
	}

}
