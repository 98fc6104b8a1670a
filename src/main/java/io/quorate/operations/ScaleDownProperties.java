package io.quorate.operations;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

import jakarta.validation.constraints.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The properties by which a pod of a StatefulSet that is made smaller leaves the cluster.
 *
 * @param statefulSet name of the StatefulSet whose pod this node is; a stopping node asks
 * no API server when it is not set
 * @param apiServer address of the API server of Kubernetes
 * @param credentials directory with the files token, ca.crt and namespace of the service
 * account
 * @param limit the longest time that a node takes to leave; it has to be below the time
 * that its supervisor gives it
 */
@Validated
@ConfigurationProperties("quorate.operations.scale-down")
public record ScaleDownProperties(
		@Nullable @Pattern(regexp = "[a-z0-9][-.a-z0-9]{0,251}",
				message = "must be the name of a StatefulSet") String statefulSet,
		@DefaultValue("https://kubernetes.default.svc") URI apiServer,
		@DefaultValue("/var/run/secrets/kubernetes.io/serviceaccount") Path credentials,
		@DefaultValue("345m") Duration limit) {

	public ScaleDownProperties {
		if (limit.compareTo(Duration.ofSeconds(1)) < 0) {
			throw new IllegalArgumentException(
					"quorate.operations.scale-down.limit must be at least 1s, not %s".formatted(limit));
		}
	}

	/** Whether a stopping node asks the API server. */
	boolean isOn() {
		return this.statefulSet != null;
	}

}
