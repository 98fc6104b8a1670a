package example;

import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

/** The prices, each computed once for all processes until it changes. */
@Service
class Prices {

	@Cacheable(cacheNames = "prices", sync = true)
	public Mono<Price> of(String fruit) {
		return Mono.fromSupplier(() -> new Price(fruit, 10 * fruit.length(), ProcessHandle.current().pid()));
	}

	@CacheEvict("prices")
	public Mono<Void> change(String fruit) {
		return Mono.empty();
	}

}
