package io.quorate.client;

/**
 * The state of the node that has answered.
 *
 * @param endpoint the URL of the node
 * @param node its name
 * @param cluster the name of its cluster
 * @param version the version of its program
 * @param state its state, {@code ready} when it serves reads and writes
 */
public record NodeStatus(String endpoint, String node, String cluster, String version, String state) {
}
