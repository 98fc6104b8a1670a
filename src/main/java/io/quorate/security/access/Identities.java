package io.quorate.security.access;

import java.util.function.Supplier;

import io.quorate.security.jwt.Jwts;
import org.jspecify.annotations.Nullable;

/**
 * The places where the gate finds principals.
 *
 * @param access the access file as it is now
 * @param jwts the JSON web tokens that are credentials, {@code null} when none are
 */
record Identities(Supplier<Access> access, @Nullable Jwts jwts) {
}
