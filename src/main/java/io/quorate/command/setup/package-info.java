/**
 * The command that sets a secured cluster up
 * ({@link io.quorate.command.setup.InitCommand}): a directory for each node, and one for
 * the operator. The {@code keytool} of the Java runtime makes keys and certificates. Asks
 * no node. Rests on {@code terminal}.
 */
@NullMarked
package io.quorate.command.setup;

import org.jspecify.annotations.NullMarked;
