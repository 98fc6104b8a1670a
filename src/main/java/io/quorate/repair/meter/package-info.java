/** What repairs measure, all of it in one place. */
@NullMarked
package io.quorate.repair.meter;

import org.jspecify.annotations.NullMarked;
