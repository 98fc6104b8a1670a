package io.quorate.ring;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import io.quorate.entry.Hash64;

/**
 * A node as the ring sees it: its id, its zone, and its place on the ring, which must not
 * change, unlike its addresses.
 *
 * @param id name of the node, unique in its cluster: letters, digits, dots, dashes and
 * underscores, at most 63
 * @param zone name of the zone that fails together with it, in the form of an id; empty
 * for none
 * @param ringId name that its weights are computed from, in the form of an id: its own
 * id, or that of the member whose place it has taken
 */
public record Member(String id, String zone, String ringId) {

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,63}");

	/**
	 * Checks the names.
	 * @throws IllegalArgumentException when one of them is not a valid name
	 */
	public Member {
		requireName("id", id);
		if (!zone.isEmpty()) {
			requireName("zone", zone);
		}
		requireName("place on the ring", ringId);
	}

	/** A member with a place of its own. */
	public Member(String id, String zone) {
		this(id, zone, id);
	}

	/** A member without a zone. */
	public static Member of(String id) {
		return new Member(id, "");
	}

	/** The number that stands for this node in timestamps: 32 bits of its id's hash. */
	public int ordinal() {
		return (int) Hash64.of(this.id.getBytes(StandardCharsets.UTF_8));
	}

	/** Whether its place on the ring was that of another member before. */
	boolean isReplacement() {
		return !this.ringId.equals(this.id);
	}

	/**
	 * The id, behind a slash the zone if there is one, and the member whose place it has
	 * taken.
	 */
	@Override
	public String toString() {
		String named = this.zone.isEmpty() ? this.id : this.id + "/" + this.zone;
		return isReplacement() ? named + " in the place of " + this.ringId : named;
	}

	private static void requireName(String what, String name) {
		if (!NAME.matcher(name).matches()) {
			throw new IllegalArgumentException(
					"the %s '%s' of a member must be 1 to 63 letters, digits, dots, dashes and underscores"
						.formatted(what, name));
		}
	}

}
