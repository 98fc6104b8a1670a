package io.quorate.spring.boot.compose;

import java.util.List;

import io.quorate.spring.boot.autoconfigure.QuorateConnectionDetails;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/**
 * A factory of the connection to a service of Docker Compose whose image, or whose label
 * {@code org.springframework.boot.service-connection}, has the name {@code quorate}.
 */
final class QuorateDockerComposeConnectionDetailsFactory
		extends DockerComposeConnectionDetailsFactory<QuorateConnectionDetails> {

	private static final int PORT = 8080;

	QuorateDockerComposeConnectionDetailsFactory() {
		super("quorate");
	}

	@Override
	protected QuorateConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		return new QuorateDockerComposeConnectionDetails(source.getRunningService());
	}

	/** The connection to one service. */
	private static final class QuorateDockerComposeConnectionDetails extends DockerComposeConnectionDetails
			implements QuorateConnectionDetails {

		private final List<String> endpoints;

		private final @Nullable SslBundle bundle;

		QuorateDockerComposeConnectionDetails(RunningService service) {
			super(service);
			this.bundle = getSslBundle(service);
			this.endpoints = List.of(((this.bundle != null) ? "https" : "http") + "://" + service.host() + ":"
					+ service.ports().get(PORT));
		}

		@Override
		public List<String> getEndpoints() {
			return this.endpoints;
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return this.bundle;
		}

	}

}
