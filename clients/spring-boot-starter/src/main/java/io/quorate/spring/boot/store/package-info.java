/** What the cache and the sessions have in common: the form of objects, and failures. */
@NullMarked
package io.quorate.spring.boot.store;

import org.jspecify.annotations.NullMarked;
