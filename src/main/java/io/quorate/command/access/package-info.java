/**
 * The nodes that a command asks ({@link io.quorate.command.access.Cluster}): their
 * addresses and the rights at them, requests, answers, and ranges of entries. A write is
 * never repeated when its outcome is unknown. Rests on {@code terminal} and on the client
 * for Java.
 */
@NullMarked
package io.quorate.command.access;

import org.jspecify.annotations.NullMarked;
