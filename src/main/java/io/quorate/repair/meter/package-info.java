/** The meters of repair, all in one place. */
@NullMarked
package io.quorate.repair.meter;

import org.jspecify.annotations.NullMarked;
