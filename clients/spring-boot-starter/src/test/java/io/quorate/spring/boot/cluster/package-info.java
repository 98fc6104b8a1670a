/** Tests on clusters of processes. */
@NullMarked
package io.quorate.spring.boot.cluster;

import org.jspecify.annotations.NullMarked;
