/** Locks of Spring Integration over the clients of Quorate. */
@NullMarked
package io.quorate.spring.boot.lock;

import org.jspecify.annotations.NullMarked;
