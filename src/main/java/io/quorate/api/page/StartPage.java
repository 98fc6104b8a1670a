package io.quorate.api.page;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.quorate.api.request.ApiProperties;
import io.quorate.api.request.Problems;
import io.quorate.api.request.RawQuery;
import io.quorate.operations.AdminPath;
import io.quorate.operations.NodeLabel;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import org.springframework.web.util.HtmlUtils;
import reactor.core.publisher.Mono;

/**
 * The start page, {@code /}: the name of the node and its cluster, places to go, and
 * commands to begin with. A page for browsers, plain text for all other clients.
 */
@Component
public final class StartPage implements WebHandler {

	/** Its path. */
	public static final String PATH = "/";

	private static final MediaType PLAIN = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

	private static final MediaType HTML = new MediaType(MediaType.TEXT_HTML, StandardCharsets.UTF_8);

	/* What a shell takes as it stands, also in quotes. */
	private static final Pattern AUTHORITY = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{1,255}");

	private final NodeLabel node;

	private final String template;

	private final String policy;

	private final List<Place> places = new ArrayList<>();

	StartPage(NodeLabel node, AdminPath adminPath, ApiProperties properties) {
		this.node = node;
		this.template = new String(ProgramFile.read("start.html"), StandardCharsets.UTF_8);
		this.policy = "default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
			.formatted(styleHash(this.template));
		if (properties.docs().enabled()) {
			this.places.add(new Place(Pages.DOCS, "Reference", "The HTTP API, to read and to try out"));
		}
		this.places.add(new Place(Pages.OPENAPI, "OpenAPI document", "The HTTP API, for tools and generated clients"));
		boolean hasHealth = adminPath.isShared() && !adminPath.root().isEmpty();
		this.places.add(!hasHealth ? new Place("/v0/status", "Status", "Whether this node is ready")
				: new Place(adminPath.root() + "/health", "Health", "The node, its store and its cluster"));
	}

	/* The one style that the policy allows. */
	private static String styleHash(String page) {
		String style = page.substring(page.indexOf("<style>") + "<style>".length(), page.indexOf("</style>"));
		return Base64.getEncoder().encodeToString(ProgramFile.sha256(style.getBytes(StandardCharsets.UTF_8)));
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		ServerHttpResponse response = exchange.getResponse();
		RawQuery.of(request).knowing(Set.of());
		boolean hasBody = switch (request.getMethod().name()) {
			case "GET" -> true;
			case "HEAD" -> false;
			default -> throw Problems.methodNotAllowed(request.getMethod(), "GET, HEAD");
		};
		boolean html = isBrowser(request.getHeaders());
		byte[] page = (html ? html(base(request)) : text(base(request))).getBytes(StandardCharsets.UTF_8);
		HttpHeaders headers = response.getHeaders();
		PageHeaders.protect(headers, this.policy, CacheControl.noStore());
		headers.setVary(List.of(HttpHeaders.ACCEPT));
		headers.setContentType(html ? HTML : PLAIN);
		headers.setContentLength(page.length);
		return hasBody ? response.writeWith(Mono.<DataBuffer>fromSupplier(() -> response.bufferFactory().wrap(page)))
				: response.setComplete();
	}

	/* A browser names the type of pages; other programs take anything. */
	private static boolean isBrowser(HttpHeaders headers) {
		try {
			return headers.getAccept()
				.stream()
				.anyMatch((accepted) -> accepted.getQualityValue() > 0
						&& accepted.equalsTypeAndSubtype(MediaType.TEXT_HTML));
		}
		catch (InvalidMediaTypeException _) {
			return false;
		}
	}

	/** The address under which the client has reached this node. */
	private static String base(ServerHttpRequest request) {
		String host = request.getHeaders().getFirst(HttpHeaders.HOST);
		String scheme = "https".equals(request.getURI().getScheme()) ? "https" : "http";
		return scheme + "://" + ((host != null && AUTHORITY.matcher(host).matches()) ? host : "localhost:8080");
	}

	private String html(String base) {
		StringBuilder links = new StringBuilder();
		this.places.forEach((place) -> links.append("<li><a href=\"%s\">%s<span>%s</span></a></li>\n"
			.formatted(escaped(place.path), escaped(place.name), escaped(place.meaning))));
		return this.template.replace("{{node}}", escaped(this.node.node()))
			.replace("{{cluster}}", escaped(this.node.cluster()))
			.replace("{{version}}", escaped(this.node.version()))
			.replace("{{links}}", links)
			.replace("{{commands}}", escaped(commands(base)));
	}

	private String text(String base) {
		StringBuilder text = new StringBuilder();
		text.append("Quorate %s, a replicated key-value store: node %s of cluster %s\n\n".formatted(this.node.version(),
				this.node.node(), this.node.cluster()));
		this.places.forEach((place) -> text.append("%-18s%s%s\n".formatted(place.name, base, place.path)));
		return text.append('\n').append(commands(base)).toString();
	}

	private static String commands(String base) {
		return """
				# write a value, read it, list keys, delete it
				curl -X PUT '%1$s/v0/entity/fruit:apple' \\
				     -H 'Content-Type: text/plain' -d 'red'
				curl '%1$s/v0/entity/fruit:apple'
				curl '%1$s/v0/entities?prefix=fruit:'
				curl -X DELETE '%1$s/v0/entity/fruit:apple'
				""".formatted(base);
	}

	private static String escaped(String text) {
		return HtmlUtils.htmlEscape(text, StandardCharsets.UTF_8.name());
	}

	/**
	 * A place to go from here.
	 *
	 * @param path path on this node
	 * @param name its name for people
	 * @param meaning the use of it
	 */
	private record Place(String path, String name, String meaning) {
	}

}
