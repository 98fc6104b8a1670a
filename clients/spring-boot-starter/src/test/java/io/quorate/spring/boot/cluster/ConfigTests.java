package io.quorate.spring.boot.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quorate.client.Put;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.config.QuorateConfigAutoConfiguration;
import io.quorate.spring.boot.config.QuorateConfigChangedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.autoconfigure.ConfigurationPropertiesRebinderAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** Configuration that is imported from a cluster, and follows it. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigTests extends Stores {

	private ConfigurableApplicationContext run(String... arguments) {
		return run(Application.class, arguments);
	}

	private ConfigurableApplicationContext run(Class<?> application, String... arguments) {
		List<String> all = new ArrayList<>(Arrays.asList(arguments));
		all.add("--quorate.client.endpoints=" + String.join(",", Cluster.get().urls()));
		all.add("--quorate.client.node-timeout=" + Cluster.NODE_SECONDS + "s");
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE).run(all.toArray(String[]::new));
	}

	private String imported() {
		return "--spring.config.import=quorate:" + this.prefix + "shop";
	}

	private void put(String key, String value) {
		client().put(this.prefix + key, value);
	}

	@Test
	void keysAndDocumentsAreProperties() {
		put("shop/app/color", "red");
		put("shop/app.taste", "sweet");
		put("shop/app/list[0]", "a");
		put("shop/app/list[1]", "b");
		put("shop/some.yml", "app:\n  color: green\n  size: 7\n  nested:\n  - name: one\n---\napp:\n  size: 8\n");
		put("shop/other.properties", "app.weight=10\napp.size=9\n");
		put("shopping/app/color", "none");
		try (ConfigurableApplicationContext context = run(imported())) {
			Environment environment = context.getEnvironment();
			assertThat(environment.getProperty("app.color")).as("a key beats a document").isEqualTo("red");
			assertThat(environment.getProperty("app.taste")).isEqualTo("sweet");
			assertThat(environment.getProperty("app.size", Integer.class)).isEqualTo(8);
			assertThat(environment.getProperty("app.weight")).isEqualTo("10");
			assertThat(environment.getProperty("app.nested[0].name")).isEqualTo("one");
			assertThat(Binder.get(environment).bind("app.list", Bindable.listOf(String.class)).get())
				.containsExactly("a", "b");
		}
	}

	@Test
	void profileBeatsAllFiles(@TempDir Path directory) throws IOException {
		put("shop/app/color", "store");
		put("shop/app/taste", "store");
		put("shop-prod/app/color", "store of prod");
		Files.writeString(directory.resolve("application.properties"),
				"app.color=file\napp.size=file\n" + "spring.config.import=quorate:" + this.prefix + "shop/\n");
		Files.writeString(directory.resolve("application-prod.properties"), "app.color=file of prod\n");
		String location = "--spring.config.location=" + directory.toUri();
		try (ConfigurableApplicationContext context = run(location, "--spring.profiles.active=prod")) {
			assertThat(context.getEnvironment().getProperty("app.color")).isEqualTo("store of prod");
			assertThat(context.getEnvironment().getProperty("app.taste")).isEqualTo("store");
			assertThat(context.getEnvironment().getProperty("app.size")).isEqualTo("file");
		}
		try (ConfigurableApplicationContext context = run(location)) {
			assertThat(context.getEnvironment().getProperty("app.color")).isEqualTo("store");
		}
	}

	@Test
	void absenceEndsTheStartUnlessItIsOptional(CapturedOutput output) throws InterruptedException {
		assertThatException().isThrownBy(() -> run(imported()));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("quorate:" + this.prefix + "shop/' via location")
			.contains("does not exist");
		try (ConfigurableApplicationContext context = run(
				"--spring.config.import=optional:quorate:" + this.prefix + "shop")) {
			put("shop/app/color", "red");
			Cluster.await(() -> "red".equals(context.getEnvironment().getProperty("app.color")));
		}
	}

	@Test
	void badDocumentEndsTheStart(CapturedOutput output) {
		put("shop/some.yml", "app: [");
		assertThatException().isThrownBy(() -> run(imported()));
		assertThat(output).contains("The configuration quorate:" + this.prefix + "shop/ was not read: ")
			.contains("some.yml cannot be parsed");
	}

	@Test
	void documentHasNoProfiles(CapturedOutput output) {
		put("shop/some.yml", "spring.config.activate.on-profile: prod\n");
		assertThatException().isThrownBy(() -> run(imported()));
		assertThat(output).contains("what is of a profile has a prefix of its own");
	}

	@Test
	void changesComeTogether() throws InterruptedException {
		put("shop/app/color", "red");
		put("shop/app/taste", "sweet");
		put("shop/app/size", "7");
		try (ConfigurableApplicationContext context = run(imported())) {
			Listener listener = context.getBean(Listener.class);
			Shop shop = context.getBean(Shop.class);
			put("shop/app/color", "green");
			put("shop/some.yml", "app.weight: 10");
			client().delete(this.prefix + "shop/app/taste");
			Cluster.await(() -> listener.names().equals(Set.of("app.color", "app.weight", "app.taste")));
			assertThat(context.getEnvironment().getProperty("app.color")).isEqualTo("green");
			assertThat(context.getEnvironment().getProperty("app.weight")).isEqualTo("10");
			assertThat(context.getEnvironment().containsProperty("app.taste")).isFalse();
			assertThat(context.getEnvironment().getProperty("app.size")).isEqualTo("7");
			assertThat(context.getBean(Shop.class)).isSameAs(shop);
			assertThat(shop.color).as("nothing is rebuilt").isEqualTo("red");
		}
	}

	@Test
	void springCloudBindsPropertiesAnew() throws InterruptedException {
		put("shop/app/color", "red");
		try (ConfigurableApplicationContext context = run(CloudApplication.class, imported())) {
			assertThat(context.getBean(Shop.class).color).isEqualTo("red");
			put("shop/app/color", "green");
			Cluster.await(() -> context.getBean(Shop.class).color.equals("green"));
		}
	}

	@Test
	void badValueLeavesTheLastGoodOne() throws InterruptedException {
		put("shop/some.yml", "app.color: red");
		put("shop/app/size", "7");
		try (ConfigurableApplicationContext context = run(imported())) {
			put("shop/some.yml", "app: [");
			client().put(Put.of(this.prefix + "shop/app/size", new byte[] { -1 }));
			put("shop/app/taste", "sweet");
			Cluster.await(() -> "sweet".equals(context.getEnvironment().getProperty("app.taste")));
			assertThat(context.getEnvironment().getProperty("app.color")).isEqualTo("red");
			assertThat(context.getEnvironment().getProperty("app.size")).isEqualTo("7");
			put("shop/some.yml", "app.color: green");
			Cluster.await(() -> "green".equals(context.getEnvironment().getProperty("app.color")));
		}
	}

	@Test
	void largeDocumentIsFollowed() throws InterruptedException {
		put("shop/some.yml", "app.color: red");
		try (ConfigurableApplicationContext context = run(imported())) {
			put("shop/some.yml", "app.color: green\napp.text: " + "x".repeat(100_000));
			Cluster.await(() -> "green".equals(context.getEnvironment().getProperty("app.color")));
			assertThat(context.getEnvironment().getProperty("app.text")).hasSize(100_000);
		}
	}

	@Test
	void expiryIsAChange() throws InterruptedException {
		put("shop/app/color", "red");
		client().put(Put.of(this.prefix + "shop/app/taste", "sweet").ttl(Duration.ofSeconds(20)));
		try (ConfigurableApplicationContext context = run(imported())) {
			Listener listener = context.getBean(Listener.class);
			Cluster.await(() -> listener.names().equals(Set.of("app.taste")));
			assertThat(context.getEnvironment().containsProperty("app.taste")).isFalse();
		}
	}

	@Test
	void refreshCanBeTurnedOff() {
		put("shop/app/color", "red");
		try (ConfigurableApplicationContext context = run(imported(), "--quorate.client.config.refresh=false")) {
			assertThat(context.containsBean("quorateConfigRefresh")).isFalse();
		}
	}

	/** An application with configuration. */
	@ImportAutoConfiguration({ QuorateAutoConfiguration.class, QuorateConfigAutoConfiguration.class })
	@EnableConfigurationProperties(Shop.class)
	@Import(Listener.class)
	static class Application {

	}

	/** The same beside Spring Cloud. */
	@ImportAutoConfiguration(ConfigurationPropertiesRebinderAutoConfiguration.class)
	static class CloudApplication extends Application {

	}

	/** Properties of the application. */
	@ConfigurationProperties("app")
	static class Shop {

		private String color = "none";

		public void setColor(String color) {
			this.color = color;
		}

	}

	/** A listener of changes. */
	static class Listener {

		private final List<Set<String>> changes = new CopyOnWriteArrayList<>();

		@EventListener
		void changed(QuorateConfigChangedEvent event) {
			this.changes.add(event.names());
		}

		Set<String> names() {
			Set<String> all = new TreeSet<>();
			this.changes.forEach(all::addAll);
			return all;
		}

	}

}
