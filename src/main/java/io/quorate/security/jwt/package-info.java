/**
 * JSON web tokens as credentials: the keys of their issuer, watched, the check of a
 * token, and the tokens that were checked lately.
 * <p>
 * Promises that a token passes only with a signature by a present key of the issuer, for
 * this audience and within its time; that nothing in a token chooses the key's kind or
 * where it comes from; and that its check neither runs on an event loop nor takes more
 * than two threads. Knows no principals and no HTTP. A token grants nothing by itself:
 * its subject must stand in the access file.
 */
@NullMarked
@NamedInterface("jwt")
package io.quorate.security.jwt;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
