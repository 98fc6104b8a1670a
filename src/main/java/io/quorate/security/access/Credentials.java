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
 * @param command the request, if its path is for operators; otherwise {@code null}
 */
public record Credentials(List<String> authorization, List<String> certificateNames, @Nullable String address,
		@Nullable Command command) {

	/** The credentials of a request whose path is not for operators. */
	public Credentials(List<String> authorization, List<String> certificateNames, @Nullable String address) {
		this(authorization, certificateNames, address, null);
	}

	/** Returns the address only, without secrets. */
	@Override
	public String toString() {
		return "credentials from " + this.address;
	}

}
