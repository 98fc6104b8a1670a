package io.quorate.operations.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.quorate.operations.configuration.KnownProperties.Nearest;
import io.quorate.operations.configuration.UnknownPropertyException.Unknown;
import io.quorate.storage.StoreIdentity;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses to start with a {@code quorate.*} property that nothing reads, wherever it
 * comes from: files, arguments, system properties, environment variables; and, but in the
 * environment, which is for all programs, with one that looks like ours without its
 * prefix. Runs before any bean of ours is made, so that a misspelt directory opens no
 * other one, and has all properties bound before the store is opened.
 */
final class PropertyCheck implements BeanFactoryPostProcessor {

	private static final String PREFIX = "quorate.";

	private static final String VARIABLE_PREFIX = "QUORATE_";

	/*
	 * Kubernetes gives every container such variables for a service that is named
	 * "quorate" or "quorate-...": they are no mistake of the operator.
	 */
	private static final Pattern SERVICE_LINK = Pattern.compile(
			"QUORATE_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

	/* Of the commands and scripts: a shell that has them starts nodes, too. */
	private static final Set<String> OF_COMMANDS = Set.of("QUORATE_ENDPOINTS", "QUORATE_TOKEN_FILE", "QUORATE_CA",
			"QUORATE_CONFIG", "QUORATE_JAVA_OPTS", "QUORATE_JAR", "QUORATE_AOT");

	/* Options that other programs have, and what they are here. */
	private static final Map<String, String> SHORT = Map.of("port", "server.port", "host", "server.address", "address",
			"server.address", "listen", "server.address", "data", "quorate.storage.directory", "datadir",
			"quorate.storage.directory", "directory", "quorate.storage.directory", "id", "quorate.node.id", "members",
			"quorate.cluster.members");

	/* The only ones that Spring Boot has without a dot. */
	private static final Set<String> WITHOUT_DOT = Set.of("debug", "trace");

	/* An argument is for the node alone: another one is a mistake. */
	private static final Set<String> ROOTS = Set.of("server", "spring", "management", "logging", "info");

	private final ConfigurableEnvironment environment;

	PropertyCheck(ConfigurableEnvironment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		Map<String, Class<?>> ours = ours(beanFactory);
		bindBeforeTheStoreIsOpened(beanFactory, ours.keySet());
		KnownProperties known = new KnownProperties();
		ours.values().forEach((type) -> known.add(prefix(type), type));
		List<Unknown> unknown = new ArrayList<>();
		for (PropertySource<?> source : this.environment.getPropertySources()) {
			if (source instanceof EnumerablePropertySource<?> enumerable) {
				check(enumerable, known, unknown);
			}
		}
		if (!unknown.isEmpty()) {
			throw new UnknownPropertyException(unknown);
		}
	}

	/** The types that are bound to properties of ours, by the names of their beans. */
	private static Map<String, Class<?>> ours(ConfigurableListableBeanFactory beanFactory) {
		Map<String, Class<?>> ours = new TreeMap<>();
		for (String bean : beanFactory.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
			Class<?> type = beanFactory.getType(bean, false);
			if (type != null && type.isRecord() && prefix(type).startsWith(PREFIX)) {
				ours.put(bean, type);
			}
		}
		return ours;
	}

	private static String prefix(Class<?> type) {
		return MergedAnnotations.from(type).get(ConfigurationProperties.class).getString("prefix");
	}

	/** Orders the beans: a wrong value leaves nothing behind, whichever room reads it. */
	private static void bindBeforeTheStoreIsOpened(ConfigurableListableBeanFactory beanFactory, Set<String> ours) {
		for (String store : beanFactory.getBeanNamesForType(StoreIdentity.class, true, false)) {
			BeanDefinition definition = beanFactory.getBeanDefinition(store);
			Set<String> first = new TreeSet<>(ours);
			String[] before = definition.getDependsOn();
			first.addAll((before != null) ? List.of(before) : List.of());
			definition.setDependsOn(first.toArray(String[]::new));
		}
	}

	private static void check(EnumerablePropertySource<?> source, KnownProperties known, List<Unknown> unknown) {
		boolean variables = source instanceof SystemEnvironmentPropertySource;
		for (String name : source.getPropertyNames()) {
			boolean isKnown = variables ? isOthersVariable(name) || known.containsVariable(name)
					: isOthers(source, name, known) || known.contains(name);
			if (!isKnown) {
				String meant = meant(name, known);
				unknown.add(new Unknown(name, origin(source, name), variables ? variable(meant) : meant));
			}
		}
	}

	private static String meant(String name, KnownProperties known) {
		String word = SHORT.get(word(name));
		if (word != null) {
			return word;
		}
		Nearest nearest = known.nearest(name);
		return known.meantBy(name).orElse(nearest.near() ? nearest.name() : "");
	}

	private static boolean isOthers(PropertySource<?> source, String name, KnownProperties known) {
		String lower = name.toLowerCase(Locale.ROOT);
		return !lower.startsWith(PREFIX) && !SHORT.containsKey(word(name)) && known.meantBy(name).isEmpty()
				&& (!(source instanceof CommandLinePropertySource<?>) || isOfSpring(lower));
	}

	private static String word(String name) {
		return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
	}

	private static boolean isOfSpring(String argument) {
		int dot = argument.indexOf('.');
		return (dot < 0) ? WITHOUT_DOT.contains(argument) : ROOTS.contains(argument.substring(0, dot));
	}

	private static boolean isOthersVariable(String name) {
		String upper = name.toUpperCase(Locale.ROOT);
		return !upper.startsWith(VARIABLE_PREFIX) || OF_COMMANDS.contains(upper)
				|| SERVICE_LINK.matcher(upper).matches();
	}

	private static String variable(String property) {
		return property.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
	}

	private static String origin(PropertySource<?> source, String name) {
		Origin origin = OriginLookup.getOrigin(source, name);
		return (origin != null) ? origin.toString() : source.getName();
	}

}
