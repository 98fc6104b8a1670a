package io.quorate.internode.context;

import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.ProgramExchange;
import io.quorate.membership.exchange.LayoutExchange;

/**
 * The reports that this node and its peers exchange.
 *
 * @param statuses reports to peers on data, and records of them
 * @param programs reports on the programs that members run
 * @param layouts messages about the layout of the cluster
 */
public record Exchanges(PeerStatusExchange statuses, ProgramExchange programs, LayoutExchange layouts) {
}
