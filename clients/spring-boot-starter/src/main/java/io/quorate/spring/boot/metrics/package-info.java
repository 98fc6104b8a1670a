/** The meters of the calls of a client. */
@NullMarked
package io.quorate.spring.boot.metrics;

import org.jspecify.annotations.NullMarked;
