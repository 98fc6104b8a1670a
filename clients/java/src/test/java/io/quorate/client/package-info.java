@NullMarked
package io.quorate.client;

import org.jspecify.annotations.NullMarked;
