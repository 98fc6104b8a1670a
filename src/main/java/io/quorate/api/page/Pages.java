package io.quorate.api.page;

import java.util.Map;
import java.util.TreeMap;

import io.quorate.api.body.Outflows;
import io.quorate.api.request.ApiProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.server.WebHandler;

/**
 * The pages for people, and the files behind them: the start page, the document of the
 * protocol for tools, and the reference that shows it.
 */
@Component
public final class Pages {

	/** The path of the document of the protocol. */
	public static final String OPENAPI = "/v0/openapi.yaml";

	/** The path of the reference. */
	public static final String DOCS = "/v0/docs";

	/* Nothing of the document is run or shown by a browser itself. */
	private static final String OF_DOCUMENT = "default-src 'none'; frame-ancestors 'none'";

	/* Scripts, styles and requests of this node alone; pictures stand in the styles. */
	private static final String OF_REFERENCE = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	private static final MediaType YAML = MediaType.parseMediaType("application/yaml");

	private static final MediaType HTML = MediaType.parseMediaType("text/html;charset=UTF-8");

	private static final MediaType SCRIPT = MediaType.parseMediaType("text/javascript;charset=UTF-8");

	private static final MediaType STYLE = MediaType.parseMediaType("text/css;charset=UTF-8");

	/* Where the build puts the two files that it takes from the WebJar. */
	private static final String WEB_JAR = "/META-INF/quorate/swagger-ui/";

	private final Map<String, WebHandler> byPath = new TreeMap<>();

	Pages(StartPage start, ApiProperties properties, Outflows outflows) {
		this.byPath.put(StartPage.PATH, start);
		this.byPath.put(OPENAPI, new ServedFile("openapi.yaml", YAML, OF_DOCUMENT, outflows));
		if (properties.docs().enabled()) {
			this.byPath.put(DOCS, new ServedFile("docs.html", HTML, OF_REFERENCE, outflows));
			Map<String, MediaType> files = Map.of("docs.js", SCRIPT, "docs.css", STYLE,
					WEB_JAR + "swagger-ui-bundle.js", SCRIPT, WEB_JAR + "swagger-ui.css", STYLE);
			files.forEach(
					(resource, type) -> this.byPath.put(DOCS + "/" + resource.substring(resource.lastIndexOf('/') + 1),
							new ServedFile(resource, type, OF_REFERENCE, outflows)));
		}
	}

	/** The handler of a path, {@code null} if no page is there. */
	public @Nullable WebHandler at(String path) {
		return this.byPath.get(path);
	}

}
