/**
 * The requests to one node: apply an entry, read an entry, read a page of a scan.
 * {@link io.quorate.replica.Replica} is the same for the node itself and for its peers.
 * Gates, which other rooms supply, decide whether the node itself answers reads
 * ({@link io.quorate.replica.ReadGate}) and accepts entries
 * ({@link io.quorate.replica.ArrivalFilter}, by their {@link io.quorate.replica.Origin}),
 * and whether a request was planned under a layout that the node still serves
 * ({@link io.quorate.replica.LayoutFence}).
 * <p>
 * Promises that a call has begun its work when it returns, that the {@code Mono} only
 * listens, and that a replica that cannot carry out a request says so in its reply
 * instead of failing. No threads of its own. May use {@code storage}, {@code entry},
 * {@code clock} and {@code meter}; knows no other nodes.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "storage", "entry", "clock", "meter" })
package io.quorate.replica;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
