/**
 * The manifest: the one record of the tables, value files and log segments that are live.
 * <p>
 * {@link io.quorate.storage.manifest.Manifest} is a log of
 * {@link io.quorate.storage.manifest.VersionEdit}s; together they produce a
 * {@link io.quorate.storage.manifest.LiveFiles}. Promises that an edit is durable before
 * {@code append} returns, and that damage is never read past. No threads of its own.
 */
@NullMarked
package io.quorate.storage.manifest;

import org.jspecify.annotations.NullMarked;
