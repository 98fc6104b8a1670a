package io.quorate.membership.layout;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.ring.Member;

/**
 * A member of the cluster, and the address at which its peers reach it.
 *
 * @param member id and zone
 * @param host name or address; an IPv6 address without brackets
 * @param port its internode port
 */
public record Endpoint(Member member, String host, int port) {

	/* Without halves of characters, which others would read as other text. */
	private static final Pattern FORM = Pattern.compile(
			"(?<id>[^@/\\p{Cs}]+)@(\\[(?<six>[^\\]\\p{Cs}]+)\\]|(?<host>[^:/@\\[\\]\\p{Cs}]+)):(?<port>\\d{1,5})(/(?<zone>[^/@\\p{Cs}]+))?");

	private static final int MAX_PORT = 65_535;

	/**
	 * Reads {@code id@host:port[/zone]}; an IPv6 address stands in brackets.
	 * @throws IllegalArgumentException when the text has another form
	 */
	public static Endpoint parse(String text) {
		Matcher form = FORM.matcher(text.strip());
		if (!form.matches()) {
			throw new IllegalArgumentException(
					"'%s' is no member: it must be id@host:port or id@host:port/zone".formatted(text));
		}
		int port = Integer.parseInt(form.group("port"));
		if (port < 1 || port > MAX_PORT) {
			throw new IllegalArgumentException("the port of member '%s' must be 1 to %d".formatted(text, MAX_PORT));
		}
		String zone = (form.group("zone") != null) ? form.group("zone") : "";
		String host = (form.group("six") != null) ? form.group("six") : form.group("host");
		return new Endpoint(new Member(form.group("id"), zone), host, port);
	}

	/** Id of the member. */
	public String id() {
		return this.member.id();
	}

	/** Whether another one is reached at the same address. */
	public boolean hasAddressOf(Endpoint other) {
		return this.host.equals(other.host) && this.port == other.port;
	}

	/** The member as it is configured. */
	@Override
	public String toString() {
		String zone = this.member.zone().isEmpty() ? "" : "/" + this.member.zone();
		return "%s@%s:%d%s".formatted(id(), this.host.contains(":") ? "[" + this.host + "]" : this.host, this.port,
				zone);
	}

}
