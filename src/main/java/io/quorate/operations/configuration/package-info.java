/**
 * The check of all {@code quorate.*} properties at the start, and the messages that an
 * operator reads when one is wrong. The only place that reads the environment itself: a
 * name that no record binds is seen nowhere else. Runs once, on the thread that starts
 * the node.
 */
@NullMarked
package io.quorate.operations.configuration;

import org.jspecify.annotations.NullMarked;
