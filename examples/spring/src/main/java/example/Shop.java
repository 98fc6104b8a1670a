package example;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.quorate.client.QuorateClient;
import io.quorate.client.reactor.QuorateReactiveClient;
import io.quorate.spring.boot.config.QuorateConfigChangedEvent;
import io.quorate.spring.boot.lock.QuorateLock;
import io.quorate.spring.boot.lock.QuorateLockRegistry;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebSession;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A shop of several processes, with its prices in a cache, its carts in sessions, its
 * stock in a key, its discount in imported configuration, and one delivery at a time.
 */
@SpringBootApplication
@EnableCaching
@RestController
public class Shop {

	private final QuorateReactiveClient client;

	private final QuorateClient blocking;

	private final Prices prices;

	private final QuorateLockRegistry locks;

	private final Environment environment;

	public Shop(QuorateReactiveClient client, QuorateClient blocking, Prices prices, QuorateLockRegistry locks,
			Environment environment) {
		this.client = client;
		this.blocking = blocking;
		this.prices = prices;
		this.locks = locks;
		this.environment = environment;
	}

	public static void main(String[] args) {
		SpringApplication.run(Shop.class, args);
	}

	@GetMapping("/price/{fruit}")
	Mono<Price> price(@PathVariable String fruit) {
		return this.prices.of(fruit);
	}

	@PostMapping("/price/{fruit}")
	Mono<Void> changePrice(@PathVariable String fruit) {
		return this.prices.change(fruit);
	}

	@PostMapping("/cart/{fruit}")
	List<String> add(@PathVariable String fruit, WebSession session) {
		List<String> cart = new ArrayList<>(session.getAttributeOrDefault("cart", List.of()));
		cart.add(fruit);
		session.getAttributes().put("cart", cart);
		return cart;
	}

	@GetMapping("/cart")
	List<String> cart(WebSession session) {
		return session.getAttributeOrDefault("cart", List.of());
	}

	@PostMapping("/stock/{fruit}")
	Mono<Long> stock(@PathVariable String fruit) {
		return this.client.increment("stock/" + fruit, 1);
	}

	@GetMapping("/discount")
	int discount() {
		return this.environment.getProperty("shop.discount", Integer.class, 0);
	}

	/* Each delivery has the number behind that of the last one, and the token says so. */
	@PostMapping("/delivery")
	Mono<String> deliver() {
		return Mono.fromCallable(() -> {
			QuorateLock lock = this.locks.obtain("delivery");
			lock.lock();
			try {
				long number = this.blocking.get("delivery").map((last) -> Long.parseLong(last.text())).orElse(0L) + 1;
				this.blocking.put("delivery", Long.toString(number));
				return number + " " + lock.token();
			}
			finally {
				lock.unlock();
			}
		}).subscribeOn(Schedulers.boundedElastic());
	}

	@EventListener
	void configurationChanged(QuorateConfigChangedEvent event) {
		Set<String> names = event.names();
		System.out.println("changed: " + names + ", the discount is " + discount());
	}

}
