package io.quorate.command;

import java.nio.file.Path;

import io.quorate.QuorateApplication;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A node alone, within the process of a test. */
record RunningNode(ConfigurableApplicationContext context) implements AutoCloseable {

	static RunningNode start(Path data) {
		return new RunningNode(new SpringApplication(QuorateApplication.class).run("--server.port=0",
				"--quorate.storage.directory=" + data));
	}

	String url() {
		return "http://127.0.0.1:" + this.context.getEnvironment().getRequiredProperty("local.server.port");
	}

	@Override
	public void close() {
		this.context.close();
	}

}
