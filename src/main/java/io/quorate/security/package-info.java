/**
 * The protection of ports against strangers: the only way to print their text
 * ({@link io.quorate.security.Printable}), and the log of the peers and clients that were
 * refused ({@link io.quorate.security.RefusalLog}).
 * <p>
 * Promises that no text from outside forges or fills a log, however it comes. Its only
 * threads are those of handshakes ({@link io.quorate.security.HandshakeThreads}). May use
 * {@code entry} and {@code meter}.
 */
@NullMarked
@ApplicationModule(allowedDependencies = { "entry", "meter" })
package io.quorate.security;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
