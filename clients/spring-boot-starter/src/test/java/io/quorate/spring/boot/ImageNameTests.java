package io.quorate.spring.boot;

import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateConnectionDetails;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The connection to a container in a field of a test, known by the name of its image. The
 * container does not run.
 */
@SpringBootTest(classes = NodeTests.Application.class)
class ImageNameTests {

	private static final TestNode node = new TestNode();

	@ServiceConnection
	static final GenericContainer<?> container = new Standing("localhost/quorate:1");

	private final QuorateConnectionDetails details;

	private final QuorateClient client;

	ImageNameTests(@Autowired QuorateConnectionDetails details, @Autowired QuorateClient client) {
		this.details = details;
		this.client = client;
	}

	@AfterAll
	static void closeNode() {
		node.close();
	}

	@Test
	void clientAsksTheContainer() {
		assertThat(this.details.getEndpoints()).containsExactly(node.url());
		assertThat(this.client.get("k")).isPresent();
	}

	/** A container that stands for a node of the test. */
	private static final class Standing extends GenericContainer<Standing> {

		private final String image;

		Standing(String image) {
			super(DockerImageName.parse(image));
			this.image = image;
		}

		@Override
		public String getDockerImageName() {
			return this.image;
		}

		@Override
		public String getHost() {
			return "localhost";
		}

		@Override
		public Integer getMappedPort(int original) {
			return node.port();
		}

		/* There is no engine that could run it. */
		@Override
		public void start() {
		}

	}

}
