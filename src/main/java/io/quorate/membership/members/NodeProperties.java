package io.quorate.membership.members;

import jakarta.validation.constraints.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The identity of this node.
 *
 * @param id name of the node, unique in its cluster: letters, digits, dots, dashes and
 * underscores, at most 63
 */
@Validated
@ConfigurationProperties("quorate.node")
public record NodeProperties(@DefaultValue("n0") @Pattern(regexp = NodeProperties.NAME,
		message = "must be 1 to 63 letters, digits, dots, dashes and underscores") String id) {

	static final String NAME = "[A-Za-z0-9._-]{1,63}";

}
