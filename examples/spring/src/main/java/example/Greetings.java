package example;

import java.time.Duration;

import io.quorate.client.Put;
import io.quorate.client.QuorateClient;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/**
 * Stores two greetings, and prints all that there are. The properties
 * {@code quorate.client.*} have the nodes; without them it is http://localhost:8080.
 */
@SpringBootApplication
public class Greetings {

	public static void main(String[] args) {
		SpringApplication.run(Greetings.class, args);
	}

	@Bean
	CommandLineRunner greet(QuorateClient client) {
		return (args) -> {
			client.put("greeting/en", "Hello");
			client.put(Put.of("greeting/de", "Grüß Gott").ttl(Duration.ofHours(1)));
			try (RangeIterator<RangeRecord> greetings = client.range(RangeQuery.prefix("greeting/"))) {
				greetings.forEachRemaining((each) -> System.out.println(each.key() + ": " + each.text()));
			}
		};
	}

}
