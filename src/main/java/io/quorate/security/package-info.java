/**
 * The protection of ports against strangers: the only way to print their text
 * ({@link io.quorate.security.Printable}), and the log of the peers and clients that were
 * refused ({@link io.quorate.security.RefusalLog}).
 * <p>
 * Promises that no text from outside forges or fills a log, however it comes. Its only
 * threads are those of handshakes ({@link io.quorate.security.HandshakeThreads}), those
 * that read the access file and the keys of JSON web tokens, and those that check such
 * tokens. May use {@code clock}, {@code entry} and {@code meter}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "clock", "entry", "meter" })
package io.quorate.security;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
