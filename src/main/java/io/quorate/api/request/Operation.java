package io.quorate.api.request;

import io.quorate.api.transport.EntityPath;
import io.quorate.meter.MeterByTag;
import org.jspecify.annotations.Nullable;

/** The operations that clients ask for. Requests of others are not measured. */
public enum Operation {

	GET, PUT, DELETE, SCAN, BATCH;

	/** The operation behind a method and a path, or {@code null} if there is none. */
	public static @Nullable Operation of(String method, String path) {
		return switch (path) {
			case Protocol.RANGE -> "GET".equals(method) ? SCAN : null;
			case Protocol.BATCH -> "POST".equals(method) ? BATCH : null;
			default -> EntityPath.matches(path) ? ofEntity(method) : null;
		};
	}

	private static @Nullable Operation ofEntity(String method) {
		return switch (method) {
			case "GET", "HEAD" -> GET;
			// A touch writes a value again.
			case "PUT", "PATCH" -> PUT;
			case "DELETE" -> DELETE;
			default -> null;
		};
	}

	/** Whether its requests have a body. */
	boolean hasBody() {
		return this == PUT || this == BATCH;
	}

	/** The word for meters and logs. */
	public String word() {
		return MeterByTag.word(this);
	}

}
