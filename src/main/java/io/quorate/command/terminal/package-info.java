/**
 * The words of a command: its arguments and options, its output in each format, its
 * progress, its failures and exit codes. Standard output has the result alone. One thread
 * draws the progress of what takes long, and workers end with their command. Rests on no
 * other part of the room.
 */
@NullMarked
@NamedInterface("terminal")
package io.quorate.command.terminal;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
