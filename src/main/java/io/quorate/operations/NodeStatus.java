package io.quorate.operations;

/**
 * The status of a node, as it answers clients.
 *
 * @param node id of the node
 * @param cluster name of its cluster
 * @param version version of the software
 * @param state {@code ready} when it takes requests of clients, else {@code not-ready}
 * @param open whether clients need no credentials
 */
record NodeStatus(String node, String cluster, String version, String state, boolean open) {
}
