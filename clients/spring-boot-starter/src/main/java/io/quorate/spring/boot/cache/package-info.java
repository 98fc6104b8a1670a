/** Caches of Spring over the clients of Quorate. */
@NullMarked
package io.quorate.spring.boot.cache;

import org.jspecify.annotations.NullMarked;
