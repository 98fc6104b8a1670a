package io.quorate.internode.wire;

import java.util.UUID;

/**
 * The identity of a node towards its peers.
 *
 * @param id id of the node
 * @param cluster name of the cluster
 * @param epoch hash of the configuration that all members have to agree on
 * @param storageId identity of the data in the node's directory
 */
public record LocalNode(String id, String cluster, long epoch, UUID storageId) {
}
