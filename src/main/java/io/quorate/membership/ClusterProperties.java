package io.quorate.membership;

import jakarta.validation.constraints.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The cluster that this node belongs to.
 *
 * @param name name of the cluster: letters, digits, dots, dashes and underscores, at most
 * 63. A directory of data belongs to one cluster for good.
 */
@Validated
@ConfigurationProperties("quorate.cluster")
public record ClusterProperties(@DefaultValue("quorate") @Pattern(regexp = NodeProperties.NAME,
		message = "must be 1 to 63 letters, digits, dots, dashes and underscores") String name) {
}
