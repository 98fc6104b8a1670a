package io.quorate.internode;

import io.quorate.replica.Replica;
import io.quorate.replica.comparison.Comparisons;

/** What peers reach of this node. */
record Served(Replica replica, Comparisons comparisons) {
}
