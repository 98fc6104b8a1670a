package io.quorate;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The process of one node. */
@SpringBootApplication
public class QuorateApplication {

	static void main(String[] args) {
		SpringApplication.run(QuorateApplication.class, args);
	}

}
