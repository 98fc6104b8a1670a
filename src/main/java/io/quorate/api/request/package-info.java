/**
 * A request before any work is done for it: parameters, header fields and conditions,
 * which are checked wholly and by themselves, and the errors that its answer names
 * ({@link io.quorate.api.request.Problems}). Blocks nothing and holds no memory of a
 * body. Rests on {@code transport} and {@code problem}.
 */
@NullMarked
package io.quorate.api.request;

import org.jspecify.annotations.NullMarked;
