package io.quorate.client;

import org.jspecify.annotations.Nullable;

/** The meanings of the events of a watch. Pure. */
final class WatchFormat {

	/** The name of the event with which a node ends a watch. */
	static final String END = "end";

	private WatchFormat() {
	}

	/**
	 * Returns the event for the user, {@code null} if it is none: the end, or what a
	 * later version sends.
	 * @throws InvalidAnswerException if it is not what its name says
	 */
	static @Nullable WatchEvent event(Answer head, ServerSentEvents.Event event) {
		String place = cursor(head, event);
		return switch (event.type()) {
			case "put" -> put(members(head, event), place);
			case "delete" -> {
				Members members = members(head, event);
				yield new WatchEvent.Delete(members.text("key"), members.text("etag"), place);
			}
			case "live" -> new WatchEvent.Live(members(head, event).instant("asOf"), place);
			case "stalled" -> new WatchEvent.Stalled(members(head, event).texts("members"), place);
			case "reset" -> new WatchEvent.Gap(place);
			default -> null;
		};
	}

	private static Members members(Answer head, ServerSentEvents.Event event) {
		return Members.of(head, event.data());
	}

	private static WatchEvent put(Members members, @Nullable String place) {
		byte[] value = members.has("value") ? members.bytes("value") : null;
		String type = members.has("contentType") ? members.text("contentType") : null;
		return new WatchEvent.Put(
				new KeyRecord(members.text("key"), members.text("etag"), members.number("size"), members.expires()),
				type, value, place);
	}

	/**
	 * Returns the place behind an event, {@code null} if it names none.
	 * @throws InvalidAnswerException if it can be sent in no request
	 */
	static @Nullable String cursor(Answer head, ServerSentEvents.Event event) {
		String id = event.id();
		if (id != null && !WatchOptions.isCursor(id)) {
			throw head.invalid("with a cursor that is none");
		}
		return id;
	}

}
