/**
 * The handlers of one entity ({@link io.quorate.api.entity.EntityController}) and of the
 * differences between its replicas. A value is written in slices, as its client takes
 * them. Rests on {@code body}.
 */
@NullMarked
package io.quorate.api.entity;

import org.jspecify.annotations.NullMarked;
