package io.quorate.internode;

import java.util.UUID;

/**
 * Who a node is towards its peers.
 *
 * @param id id of the node
 * @param cluster name of the cluster
 * @param epoch hash of what all members have to agree on
 * @param storageId identity of the data in the node's directory
 */
public record LocalNode(String id, String cluster, long epoch, UUID storageId) {
}
