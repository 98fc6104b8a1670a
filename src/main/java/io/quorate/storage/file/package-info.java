/**
 * What every durable file needs: to appear whole or not at all, and to stay.
 */
@NullMarked
package io.quorate.storage.file;

import org.jspecify.annotations.NullMarked;
