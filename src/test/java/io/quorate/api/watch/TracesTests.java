package io.quorate.api.watch;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;

class TracesTests {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	@Test
	void aNodeWithoutATracerPassesTracesOn() {
		assertThat(new WatchConfiguration().traces(this.beans.getBeanProvider(Tracer.class),
				this.beans.getBeanProvider(Propagator.class)))
			.isSameAs(Traces.NONE);
	}

}
