package io.quorate.spring.boot.testcontainers;

import java.time.Duration;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A container with one node that is open to all clients, for tests. Its data ends with
 * it.
 */
public class QuorateContainer extends GenericContainer<QuorateContainer> {

	/** The port for clients within the container. */
	public static final int PORT = 8080;

	private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

	/**
	 * Creates a container.
	 * @param image the name of an image of Quorate, such as the one that
	 * {@code tools/image} makes
	 */
	public QuorateContainer(String image) {
		this(DockerImageName.parse(image));
	}

	/**
	 * Creates a container.
	 * @param image an image of Quorate
	 */
	@SuppressWarnings("this-escape")
	public QuorateContainer(DockerImageName image) {
		super(image);
		withExposedPorts(PORT);
		// Else a node refuses to listen on any address but loopback.
		withEnv("QUORATE_SECURITY_OPEN", "true");
		// A test does not wait for the compiler of the JVM.
		// The other paths of the health are on a port for operators.
		waitingFor(Wait.forHttp("/readyz").forPort(PORT).withStartupTimeout(START_TIMEOUT));
	}

	/** Returns the URL of the node, once the container runs. */
	public String getEndpoint() {
		return "http://" + getHost() + ":" + getMappedPort(PORT);
	}

}
