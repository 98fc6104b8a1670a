/** Tests on clusters of processes. */
@NullMarked
package io.quorate.client.cluster;

import org.jspecify.annotations.NullMarked;
