/**
 * The commands of users: entities, ranges of them, imports and exports. Rests on
 * {@code access}. What is imported, exported or deleted is held in memory only so far as
 * workers have it under way.
 */
@NullMarked
package io.quorate.command.data;

import org.jspecify.annotations.NullMarked;
