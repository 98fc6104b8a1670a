package io.quorate.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** The order in which a client asks nodes: first the one that answered last. */
final class Nodes {

	private final List<String> urls;

	private volatile int preferred;

	Nodes(List<String> endpoints, boolean shuffles) {
		this.urls = endpoints;
		this.preferred = shuffles ? ThreadLocalRandom.current().nextInt(this.urls.size()) : 0;
	}

	/**
	 * Returns the nodes of texts, without those that are blank.
	 * @throws IllegalArgumentException if one is no URL of a node, or there is none
	 */
	static List<String> checked(Stream<String> endpoints) {
		List<String> urls = endpoints.map(String::strip).filter((each) -> !each.isEmpty()).map(Nodes::checked).toList();
		if (urls.isEmpty()) {
			throw new IllegalArgumentException("a client needs at least one endpoint");
		}
		return urls;
	}

	/* A wrong text may have a password: no message has it. */
	private static String checked(String text) {
		try {
			URI uri = new URI(text);
			boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
			if (isHttp && uri.getHost() != null && uri.getRawUserInfo() == null && uri.getRawQuery() == null
					&& uri.getRawFragment() == null) {
				return text.replaceAll("/+$", "");
			}
		}
		catch (URISyntaxException failure) {
			// Not as the cause, which quotes the text.
		}
		throw new IllegalArgumentException("an endpoint is http://host:port or https://host:port");
	}

	List<String> urls() {
		return this.urls;
	}

	/** Returns all nodes, in the order to ask them. */
	List<String> order() {
		int first = this.preferred;
		List<String> order = new ArrayList<>(this.urls.subList(first, this.urls.size()));
		order.addAll(this.urls.subList(0, first));
		return order;
	}

	/** Has a node asked first from now on. */
	void prefer(String url) {
		this.preferred = this.urls.indexOf(url);
	}

	/** Has the next node asked first from now on. */
	void preferNext() {
		leave(this.urls.get(this.preferred));
	}

	/** Has a node asked last from now on, if it was the first. */
	void leave(String url) {
		int first = this.preferred;
		if (this.urls.get(first).equals(url)) {
			this.preferred = (first + 1) % this.urls.size();
		}
	}

}
