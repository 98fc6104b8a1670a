/**
 * Bodies and answers as they come and go: admission of their memory, which is released on
 * every way out, the share of a principal in it, and the coordinator behind the check of
 * rights. One thread sweeps for those that stand still. Rests on {@code request}.
 */
@NullMarked
package io.quorate.api.body;

import org.jspecify.annotations.NullMarked;
