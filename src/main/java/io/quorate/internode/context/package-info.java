/**
 * The context that all connections of a node share: its identity and data status, the
 * clock, the state of its stop, and the meters of its peers.
 */
@NullMarked
package io.quorate.internode.context;

import org.jspecify.annotations.NullMarked;
