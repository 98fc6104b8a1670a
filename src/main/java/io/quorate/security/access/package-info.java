/**
 * The rights of clients: principals with their credentials and rights, as the access file
 * names them, and the gate that every request over HTTP passes.
 * <p>
 * The path of a request: the filter of all requests hands the
 * {@link io.quorate.security.access.Credentials} to the
 * {@link io.quorate.security.access.Gate}, which finds the principal in the present
 * {@link io.quorate.security.access.Access}, and returns a
 * {@link io.quorate.security.access.Caller} or throws a
 * {@link io.quorate.security.access.DeniedException}. The handler of the request asks the
 * caller for the right to its key or range before it does anything else.
 * <p>
 * Promises that a right which the file does not grant is not there, that a credential
 * which was taken from the file is void at its next request, that no credential and no
 * key is in any log, meter or answer, and that an access file which cannot be read
 * changes nothing. Knows nothing of HTTP. One thread reads the file; everything else runs
 * on the event loops and blocks none.
 */
@NullMarked
@NamedInterface("access")
package io.quorate.security.access;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;
