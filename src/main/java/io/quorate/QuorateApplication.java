package io.quorate;

import reactor.netty.ReactorNetty;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The process of one node. */
@SpringBootApplication
public class QuorateApplication {

	private static final int LEAST_EVENT_LOOPS = 2;

	static void main(String[] args) {
		tuneNetty();
		SpringApplication.run(QuorateApplication.class, args);
	}

	/**
	 * Sets what Netty reads once, when its classes are loaded, unless the command line
	 * does: before anything else, also in a program that is to be compared with a node.
	 */
	public static void tuneNetty() {
		/*
		 * Measured on two processors: four event loops, the least that reactor-netty
		 * makes, take a tenth more of them than two; to record where each hundredth
		 * buffer comes from takes 3 of 100 parts, and is for tests.
		 */
		int processors = Runtime.getRuntime().availableProcessors();
		unlessSet(ReactorNetty.IO_WORKER_COUNT, Integer.toString(Math.max(LEAST_EVENT_LOOPS, processors)));
		unlessSet("io.netty.leakDetection.level", "disabled");
	}

	private static void unlessSet(String property, String value) {
		if (System.getProperty(property) == null) {
			System.setProperty(property, value);
		}
	}

}
