package io.quorate.spring.boot.testcontainers;

import java.util.List;

import io.quorate.spring.boot.autoconfigure.QuorateConnectionDetails;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/**
 * A factory of the connection to a container with {@code @ServiceConnection}: to a
 * {@link QuorateContainer}, or to any container whose image has the name {@code quorate}.
 */
final class QuorateContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, QuorateConnectionDetails> {

	QuorateContainerConnectionDetailsFactory() {
		super("quorate");
	}

	@Override
	protected boolean sourceAccepts(ContainerConnectionSource<Container<?>> source, Class<?> requiredContainerType,
			Class<?> requiredConnectionDetailsType) {
		return super.sourceAccepts(source, requiredContainerType, requiredConnectionDetailsType)
				|| source.accepts(ANY_CONNECTION_NAME, QuorateContainer.class, requiredConnectionDetailsType);
	}

	@Override
	protected QuorateConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
		return new QuorateContainerConnectionDetails(source);
	}

	/** The connection to one container. */
	private static final class QuorateContainerConnectionDetails extends ContainerConnectionDetails<Container<?>>
			implements QuorateConnectionDetails {

		QuorateContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public List<String> getEndpoints() {
			String scheme = (getSslBundle() != null) ? "https" : "http";
			return List.of(scheme + "://" + getContainer().getHost() + ":"
					+ getContainer().getMappedPort(QuorateContainer.PORT));
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return super.getSslBundle();
		}

	}

}
