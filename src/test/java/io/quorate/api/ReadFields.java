package io.quorate.api;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.LinkedCaseInsensitiveMap;
import org.springframework.util.MultiValueMapAdapter;

/** The names of the header fields that anything in the program has read of requests. */
final class ReadFields implements HttpHandlerDecoratorFactory {

	final Set<String> read = ConcurrentHashMap.newKeySet();

	/* Tests of other things get their requests as they are. */
	volatile boolean isOn;

	@Override
	public HttpHandler apply(HttpHandler handler) {
		return (request, response) -> handler.handle(this.isOn ? new Recorded(request) : request, response);
	}

	private final class Recorded extends ServerHttpRequestDecorator {

		private final HttpHeaders headers;

		private Recorded(ServerHttpRequest request) {
			super(request);
			Map<String, List<String>> sent = new LinkedCaseInsensitiveMap<>(8, Locale.ROOT);
			request.getHeaders().forEach(sent::put);
			this.headers = new HttpHeaders(new Fields(sent));
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.headers;
		}

	}

	private final class Fields extends MultiValueMapAdapter<String, String> {

		private Fields(Map<String, List<String>> sent) {
			super(sent);
		}

		@Override
		public @Nullable String getFirst(String name) {
			note(name);
			return super.getFirst(name);
		}

		@Override
		public boolean containsKey(Object name) {
			note(name);
			return super.containsKey(name);
		}

		@Override
		public @Nullable List<String> get(Object name) {
			note(name);
			return super.get(name);
		}

		@Override
		public List<String> getOrDefault(Object name, List<String> other) {
			note(name);
			return super.getOrDefault(name, other);
		}

		private void note(Object name) {
			ReadFields.this.read.add(name.toString().toLowerCase(Locale.ROOT));
		}

	}

}
