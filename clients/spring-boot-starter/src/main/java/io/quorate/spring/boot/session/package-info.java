/** Sessions of Spring Session over the clients of Quorate. */
@NullMarked
package io.quorate.spring.boot.session;

import org.jspecify.annotations.NullMarked;
