/**
 * The load of {@code quorate bench}: keys, their schedule, and the times that the cluster
 * took. The schedule does not wait for slow answers, so that they count in full. Rests on
 * {@code access}.
 */
@NullMarked
package io.quorate.command.bench;

import org.jspecify.annotations.NullMarked;
