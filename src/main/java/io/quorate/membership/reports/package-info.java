/**
 * Reports of the members about themselves: the layouts that they have adopted, the keys
 * that they have copied, their directories and processes
 * ({@link io.quorate.membership.reports.MemberReports}), and their programs, which decide
 * when the formats of all may advance ({@link io.quorate.membership.reports.Upgrade}).
 * Kept in memory, but for the format level. Rests on {@code members}.
 */
@NullMarked
@NamedInterface("reports")
package io.quorate.membership.reports;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
