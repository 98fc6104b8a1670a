/** What the store needs of a file system beyond reading and writing: names that last. */
@NullMarked
package io.quorate.storage.file;

import org.jspecify.annotations.NullMarked;
