package io.quorate;

import java.security.Security;

import io.quorate.internode.DroppedErrors;
import io.quorate.security.LogGuard;
import reactor.netty.ReactorNetty;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;

/** The process of one node, or of a {@linkplain Commands command}. */
@SpringBootConfiguration
@Rooms
public class QuorateApplication {

	private static final int LEAST_EVENT_LOOPS = 2;

	static void main(String[] args) {
		if (Commands.isNamedBy(args)) {
			System.exit(Commands.run(args));
		}
		forgetAddresses();
		tuneNetty();
		DroppedErrors.listen();
		SpringApplication node = new SpringApplication(QuorateApplication.class);
		node.addListeners(new LogGuard());
		node.run(Commands.properties(args));
	}

	/*
	 * A member that moves is found at the next attempt: the JVM would keep its address.
	 */
	private static void forgetAddresses() {
		Security.setProperty("networkaddress.cache.ttl", "1");
		Security.setProperty("networkaddress.cache.negative.ttl", "0");
	}

	/**
	 * Sets the system properties that Netty reads once, when its classes are loaded,
	 * unless the command line sets them. Comes before anything else, also in a program
	 * that is to be compared with a node.
	 */
	public static void tuneNetty() {
		/*
		 * Fewer loops find more to do each time that they wake. Tests record the source
		 * of buffers.
		 */
		int processors = Runtime.getRuntime().availableProcessors();
		unlessSet(ReactorNetty.IO_WORKER_COUNT, Integer.toString(Math.max(LEAST_EVENT_LOOPS, processors)));
		if (System.getProperty("io.netty.leakDetectionLevel") == null) {
			unlessSet("io.netty.leakDetection.level", "disabled");
		}
	}

	private static void unlessSet(String property, String value) {
		if (System.getProperty(property) == null) {
			System.setProperty(property, value);
		}
	}

}
