package io.quorate;

import reactor.netty.ReactorNetty;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The process of one node. */
@SpringBootApplication
public class QuorateApplication {

	/* As many as processors: each of reactor-netty's four took a tenth more on two. */
	private static final int LEAST_EVENT_LOOPS = 2;

	static void main(String[] args) {
		if (System.getProperty(ReactorNetty.IO_WORKER_COUNT) == null) {
			int loops = Math.max(LEAST_EVENT_LOOPS, Runtime.getRuntime().availableProcessors());
			System.setProperty(ReactorNetty.IO_WORKER_COUNT, Integer.toString(loops));
		}
		SpringApplication.run(QuorateApplication.class, args);
	}

}
