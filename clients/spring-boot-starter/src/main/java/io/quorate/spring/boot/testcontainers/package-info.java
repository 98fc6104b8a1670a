/** Connections to containers that tests start with Testcontainers. */
@NullMarked
package io.quorate.spring.boot.testcontainers;

import org.jspecify.annotations.NullMarked;
