/** The merge of sorted sources of entries into one. Pure. */
@NullMarked
package io.quorate.storage.merge;

import org.jspecify.annotations.NullMarked;
