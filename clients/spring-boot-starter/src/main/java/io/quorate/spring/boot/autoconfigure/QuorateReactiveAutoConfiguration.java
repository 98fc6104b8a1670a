package io.quorate.spring.boot.autoconfigure;

import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.reactor.QuorateReactiveClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Flux;

/**
 * Auto-configuration of the reactive client, which has the connections of the
 * asynchronous one.
 */
@AutoConfiguration(after = QuorateAutoConfiguration.class)
@ConditionalOnClass({ QuorateReactiveClient.class, Flux.class })
public final class QuorateReactiveAutoConfiguration {

	/* The client that it adapts closes it. */
	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(QuorateAsyncClient.class)
	QuorateReactiveClient quorateReactiveClient(QuorateAsyncClient client) {
		return QuorateReactiveClient.of(client);
	}

}
