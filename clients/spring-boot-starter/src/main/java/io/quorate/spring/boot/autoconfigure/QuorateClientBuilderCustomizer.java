package io.quorate.spring.boot.autoconfigure;

import io.quorate.client.ClientBuilder;

/**
 * A change of the builder of the clients, after the properties: for instance another
 * executor, or a token from a source of the application. Beans of this type run in their
 * order.
 */
@FunctionalInterface
public interface QuorateClientBuilderCustomizer {

	/**
	 * Changes a builder.
	 * @param builder the builder
	 */
	void customize(ClientBuilder builder);

}
