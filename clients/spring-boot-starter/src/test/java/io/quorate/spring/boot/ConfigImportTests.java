package io.quorate.spring.boot;

import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.config.QuorateConfigAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** The import of configuration when no node answers, or one refuses. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigImportTests extends NodeTests {

	private static ConfigurableApplicationContext run(String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).run(arguments);
	}

	@Test
	void withoutANodeTheStartEndsAtTheDeadlineInOneLine(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run("--spring.config.import=quorate:config/shop",
				"--" + endpoints(unusedUrl()), "--quorate.client.deadline=700ms"));
		assertThat(output).contains("The configuration quorate:config/shop/ was not read: ")
			.contains("'optional:'")
			.doesNotContain("	at ");
	}

	@Test
	void optionalImportNeedsNoNode(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run("--spring.config.import=optional:quorate:config/shop",
				"--" + endpoints(unusedUrl()))) {
			assertThat(context.isRunning()).isTrue();
		}
		assertThat(output).contains("quorate:config/shop/ is not there yet");
	}

	@Test
	void refusalEndsTheStartAlsoOfAnOptionalImport(CapturedOutput output) {
		TestNode node = node();
		node.answer(TestNode.FORBIDDEN);
		assertThatException()
			.isThrownBy(() -> run("--spring.config.import=optional:quorate:config/shop", "--" + endpoints(node.url())));
		assertThat(output).contains("The configuration quorate:config/shop/ was not read: ").contains("403");
		assertThat(node.received()).hasSize(1);
	}

	@Test
	void tokenAndFormOfTheClientAreThoseOfTheProperties() {
		TestNode node = node();
		node.answer(TestNode.FORBIDDEN);
		assertThatException().isThrownBy(() -> run("--spring.config.import=quorate:config/shop",
				"--" + endpoints(node.url()), "--quorate.client.token=abc", "--quorate.client.ack=1"));
		assertThat(node.received()).singleElement().satisfies((request) -> {
			assertThat(request.field("Authorization")).isEqualTo("Bearer abc");
			assertThat(request.target()).contains("prefix=config%2Fshop%2F").doesNotContain("ack=");
		});
	}

	/** An application with nothing but a client. */
	@ImportAutoConfiguration({ QuorateAutoConfiguration.class, QuorateConfigAutoConfiguration.class })
	static class Application {

	}

}
