/** The form of stored objects, and the failures that caches and sessions swallow. */
@NullMarked
package io.quorate.spring.boot.store;

import org.jspecify.annotations.NullMarked;
