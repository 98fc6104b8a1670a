package io.quorate.api.page;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;

/** The header fields of pages for people, and of the files behind these pages. */
final class PageHeaders {

	private PageHeaders() {
	}

	/**
	 * Forbids a browser to load anything from elsewhere, to show the page in a frame, to
	 * guess types, and to name the page to others.
	 * @param policy value of {@code Content-Security-Policy}
	 * @param cache whether a browser may keep the page, and asks each time whether it has
	 * changed
	 */
	static void protect(HttpHeaders headers, String policy, CacheControl cache) {
		headers.setCacheControl(cache);
		headers.set("Content-Security-Policy", policy);
		headers.set("X-Content-Type-Options", "nosniff");
		headers.set("Referrer-Policy", "no-referrer");
		headers.set("Cross-Origin-Opener-Policy", "same-origin");
		headers.set("Cross-Origin-Resource-Policy", "same-origin");
	}

}
