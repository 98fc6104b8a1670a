/** The health of a cluster, as a client sees it. */
@NullMarked
package io.quorate.spring.boot.health;

import org.jspecify.annotations.NullMarked;
