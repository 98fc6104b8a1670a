package io.quorate.api;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

@TestPropertySource(properties = "quorate.api.docs.enabled=false")
class PagesOffTests extends HttpTests {

	@ParameterizedTest
	@ValueSource(strings = { "/v0/docs", "/v0/docs/docs.js", "/v0/docs/swagger-ui-bundle.js" })
	void theReferenceIsNotThere(String path) throws IOException {
		assertProblem(ask("GET", path), 400, "unknown-path", "");
	}

	@Test
	void theDocumentIsServedAndTheStartPageNamesItAlone() throws IOException {
		assertThat(ask("GET", "/v0/openapi.yaml").status).isEqualTo(200);
		assertThat(ask("GET", "/").text()).contains("/v0/openapi.yaml").doesNotContain("/v0/docs");
		assertThat(ask("GET", "/", "Accept: text/html").text()).contains("/v0/openapi.yaml").doesNotContain("/v0/docs");
	}

}
