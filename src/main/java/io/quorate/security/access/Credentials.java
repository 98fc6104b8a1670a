package io.quorate.security.access;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The credentials of one request.
 *
 * @param authorization values of its {@code Authorization} fields
 * @param certificateNames alternative names of the client's certificate, such as
 * {@code dns:payments.shop.svc}; empty without one
 * @param address address of the client's end of the connection, {@code null} if it has
 * none
 */
public record Credentials(List<String> authorization, List<String> certificateNames, @Nullable String address) {

	/** Returns the address only, without secrets. */
	@Override
	public String toString() {
		return "credentials from " + this.address;
	}

}
