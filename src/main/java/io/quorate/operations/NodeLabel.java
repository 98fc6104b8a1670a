package io.quorate.operations;

/**
 * The names by which people recognise a node.
 *
 * @param node id of the node
 * @param cluster name of its cluster
 * @param version version of the software
 */
public record NodeLabel(String node, String cluster, String version) {
}
