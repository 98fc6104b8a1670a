package io.quorate.replica;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.storage.StorageCorruptedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs once each damage that reads meet, however often they meet it. */
final class DamageLog {

	private static final Logger log = LoggerFactory.getLogger(DamageLog.class);

	static final int MAX_REMEMBERED = 256;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	void met(StorageCorruptedException damage) {
		String message = String.valueOf(damage.getMessage());
		if (this.said.size() < MAX_REMEMBERED && this.said.add(message)) {
			log.error("A read has met damage: {}", message);
			if (this.said.size() == MAX_REMEMBERED) {
				log.error("Reads have met damage in {} places; no more are named until the next start", MAX_REMEMBERED);
			}
		}
	}

}
