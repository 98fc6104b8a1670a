package io.quorate.internode.wire;

import java.util.List;

import io.quorate.entry.Entry;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;

/**
 * Entries as the program before understands them: without content types. There are none
 * until the upgrade is finalized, from when on members refuse that program.
 */
final class OlderEntries {

	private OlderEntries() {
	}

	/** The request for a peer that speaks a version of the protocol. */
	static Request of(Request request, int version) {
		return (version < Wire.CONTENT_TYPES_VERSION && request instanceof Request.Apply(var key, var entry, var origin)
				&& entry.contentType() != null) ? new Request.Apply(key, of(entry), origin) : request;
	}

	/** The reply to a peer that speaks a version of the protocol. */
	static Reply of(Reply reply, int version) {
		if (version >= Wire.CONTENT_TYPES_VERSION) {
			return reply;
		}
		return switch (reply) {
			case Reply.Found(var entry) -> new Reply.Found(of(entry));
			case Reply.Page(var page) -> new Reply.Page(of(page));
			default -> reply;
		};
	}

	private static ScanPage of(ScanPage page) {
		List<Item> items = page.records().stream().map((item) -> new Item(item.key(), of(item.entry()))).toList();
		return new ScanPage(items, page.next());
	}

	private static Entry of(Entry entry) {
		return (entry instanceof Entry.Live live && live.contentType() != null)
				? new Entry.Live(live.timestamp(), live.from(), live.expiryMillis(), live.value()) : entry;
	}

}
