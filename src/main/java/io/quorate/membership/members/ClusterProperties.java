package io.quorate.membership.members;

import java.util.List;

import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The cluster that this node belongs to.
 *
 * @param name name of the cluster: letters, digits, dots, dashes and underscores, at most
 * 63. A directory of data belongs to one cluster for good.
 * @param members every member as id@host:port or id@host:port/zone, separated by commas,
 * this node included, with its internode address; the same on all nodes. Empty for a node
 * alone.
 * @param replicationFactor greatest number of nodes that hold an entry; the number of
 * members when not set
 * @param join id@host:port or id@host:port/zone of this node, when it is none of the
 * members: it waits as a candidate until it is added
 * @param seeds nodes that a candidate takes for members beside those of {@code members},
 * as id@host:port, separated by commas: present members, when none of the first ones is
 * one any more. Also those that the only node of {@code members} asks for the layout when
 * its directory is empty
 * @param joinByItself whether a candidate asks the members to add it, instead of waiting
 * for an operator
 * @param joinHosts hosts whose nodes this member adds when they ask; none when not set
 */
@Validated
@ConfigurationProperties("quorate.cluster")
public record ClusterProperties(
		@DefaultValue("quorate") @Pattern(regexp = NodeProperties.NAME,
				message = "must be 1 to 63 letters, digits, dots, dashes and underscores") String name,
		@DefaultValue List<String> members, @Nullable @Min(1) Integer replicationFactor, @Nullable String join,
		@DefaultValue List<String> seeds, @DefaultValue("false") boolean joinByItself,
		@DefaultValue List<String> joinHosts) {

	public ClusterProperties {
		members = List.copyOf(members);
		seeds = List.copyOf(seeds);
		joinHosts = List.copyOf(joinHosts);
		joinHosts.forEach(HostPattern::new);
	}

	/** The hosts whose nodes may join by themselves. */
	public List<HostPattern> joiningHosts() {
		return this.joinHosts.stream().map(HostPattern::new).toList();
	}

}
