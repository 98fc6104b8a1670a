package io.quorate.internode.wire;

import java.util.UUID;

import io.quorate.membership.reports.MemberProcesses.ProcessName;

/**
 * The identity of a node towards its peers.
 *
 * @param id id of the node
 * @param cluster name of the cluster
 * @param epoch hash of the configuration that all members have to agree on
 * @param storageId identity of the data in the node's directory
 * @param process process that speaks for the node
 */
public record LocalNode(String id, String cluster, long epoch, UUID storageId, ProcessName process) {

	/** A node that does not say by which process it speaks. */
	public LocalNode(String id, String cluster, long epoch, UUID storageId) {
		this(id, cluster, epoch, storageId, ProcessName.UNKNOWN);
	}

}
