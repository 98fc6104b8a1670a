package io.quorate;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.quorate.storage.inspect.Inspect;
import reactor.netty.ReactorNetty;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The process of one node, or a command about its files. */
@SpringBootApplication
public class QuorateApplication {

	private static final int LEAST_EVENT_LOOPS = 2;

	static void main(String[] args) {
		if (args.length > 0 && args[0].equals("inspect")) {
			inspect(List.of(args).subList(1, args.length));
			return;
		}
		tuneNetty();
		SpringApplication.run(QuorateApplication.class, args);
	}

	/* What it prints is its answer, not a log. */
	private static void inspect(List<String> arguments) {
		PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
		PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
		int code = Inspect.run(arguments, out, err);
		out.flush();
		System.exit(code);
	}

	/**
	 * Sets what Netty reads once, when its classes are loaded, unless the command line
	 * does: before anything else, also in a program that is to be compared with a node.
	 */
	public static void tuneNetty() {
		/*
		 * Fewer loops find more to do each time that they wake. Where buffers come from
		 * is recorded by tests.
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
