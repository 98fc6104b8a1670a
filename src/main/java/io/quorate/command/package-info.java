/**
 * The command line: {@code quorate}, one program with a subcommand for each task of users
 * and operators. It runs in place of a node, in a process of its own.
 * <p>
 * {@link io.quorate.command.Program} reads the arguments and runs a subcommand. Most
 * subcommands are clients of a cluster over HTTP: they ask the nodes that the user names,
 * one after the other, until one can answer. Promises that a write is never repeated when
 * its outcome is unknown, that standard output has the result alone, that messages and
 * progress go to standard error, and that the exit code is one of
 * {@link io.quorate.command.terminal.ExitCode}. Loads neither Spring nor Netty nor
 * Reactor, so that a command answers at once. Asks nodes by the client for Java
 * ({@code clients/java}), and has no threads but those of it and, for exports, imports,
 * loads and backups, workers that end with the command, and one that draws the progress
 * of what takes long. May use {@code backup}, {@code membership} (the layouts that a
 * directory has recorded), {@code storage}, {@code security}, {@code entry} and
 * {@code clock}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "backup", "membership :: agreement", "membership :: layout", "storage",
		"storage :: inspect", "storage :: file", "security", "security :: access", "entry", "clock" })
package io.quorate.command;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
