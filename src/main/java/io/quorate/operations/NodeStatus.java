package io.quorate.operations;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The status of a node, as it answers clients.
 *
 * @param node id of the node
 * @param cluster name of its cluster
 * @param version version of the software
 * @param state {@code ready} when it takes requests of clients, else {@code not-ready}
 * @param open whether clients need no credentials
 * @param conflicts words about each member of which there are two processes; left out
 * when there is none
 */
record NodeStatus(String node, String cluster, String version, String state, boolean open,
		@JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> conflicts) {
}
