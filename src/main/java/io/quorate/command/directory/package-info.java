/**
 * The commands about what is on the disk: backups of running nodes, their restoration,
 * the inspection of a directory, and the hashes of tokens. Only those of backups ask
 * nodes. Rests on {@code access}.
 */
@NullMarked
package io.quorate.command.directory;

import org.jspecify.annotations.NullMarked;
