/**
 * The process of one node: {@link io.quorate.QuorateApplication} starts the rooms in the
 * packages below, each of which states its purpose in its package-info.
 * <p>
 * Requests come in through {@code api} and go down through {@code coordinator} and
 * {@code replica} to {@code storage}; a room uses only rooms behind it, which the build
 * verifies.
 */
@NullMarked
package io.quorate;

import org.jspecify.annotations.NullMarked;
