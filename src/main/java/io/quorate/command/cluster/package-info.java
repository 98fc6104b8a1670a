/**
 * The commands of operators about the members of a cluster: their states, and changes of
 * them, which the command watches until they are done. An interrupted command leaves the
 * change under way. Rests on {@code access}.
 */
@NullMarked
package io.quorate.command.cluster;

import org.jspecify.annotations.NullMarked;
