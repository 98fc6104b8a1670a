package io.quorate.membership;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The changes of members.
 *
 * @param giveUpAfter time for which a node that joins has to be away until its joining is
 * aborted; no other change is aborted by itself
 */
@ConfigurationProperties("quorate.membership")
public record MembershipProperties(@DefaultValue("30m") Duration giveUpAfter) {

	public MembershipProperties {
		if (!giveUpAfter.isPositive()) {
			throw new IllegalArgumentException("quorate.membership.give-up-after must be positive");
		}
	}

}
