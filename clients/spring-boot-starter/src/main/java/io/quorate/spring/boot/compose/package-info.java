/** Connections to services that Docker Compose runs. */
@NullMarked
package io.quorate.spring.boot.compose;

import org.jspecify.annotations.NullMarked;
