package io.quorate.api;

import java.io.IOException;

import io.quorate.SharedNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A node without the reference, which a pod does not serve. */
class PagesOffTests {

	@ParameterizedTest
	@ValueSource(strings = { "/v0/docs", "/v0/docs/docs.js", "/v0/docs/swagger-ui-bundle.js" })
	void theReferenceIsNotThere(String path) throws IOException {
		HttpTests.assertProblem(get(path), 400, "unknown-path", "");
	}

	@Test
	void theDocumentIsServedAndTheStartPageNamesItAlone() throws IOException {
		assertThat(get("/v0/openapi.yaml").status).isEqualTo(200);
		assertThat(get("/").text()).contains("/v0/openapi.yaml").doesNotContain("/v0/docs");
		assertThat(get("/", "Accept: text/html").text()).contains("/v0/openapi.yaml").doesNotContain("/v0/docs");
	}

	private static RawConnection.Answer get(String path, String... headers) throws IOException {
		try (RawConnection connection = RawConnection.to(SharedNode.POD.port())) {
			return HttpTests.documented("GET", path, connection.request("GET", path, headers).answer());
		}
	}

}
