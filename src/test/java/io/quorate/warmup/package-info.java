@NullMarked
package io.quorate.warmup;

import org.jspecify.annotations.NullMarked;
