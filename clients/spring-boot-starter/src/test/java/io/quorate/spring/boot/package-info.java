/** Tests of the starter. */
@NullMarked
package io.quorate.spring.boot;

import org.jspecify.annotations.NullMarked;
