/**
 * The load of {@code quorate bench}: keys, their schedule, and the times that the cluster
 * took. These count from the instant at which a request was due. Rests on {@code access}.
 */
@NullMarked
package io.quorate.command.bench;

import org.jspecify.annotations.NullMarked;
