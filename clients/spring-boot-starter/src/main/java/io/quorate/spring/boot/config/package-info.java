/** The import of configuration from the cluster, and its refresh. */
@NullMarked
package io.quorate.spring.boot.config;

import org.jspecify.annotations.NullMarked;
