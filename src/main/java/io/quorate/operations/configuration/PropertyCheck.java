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
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses to start with a {@code quorate.*} property that nothing reads, wherever it
 * comes from: files, arguments, system properties, environment variables. Runs before any
 * bean of ours is made, so that a misspelt directory opens no other one, and has all
 * properties bound before the store is opened.
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
					: isOthers(name) || known.contains(name);
			if (!isKnown) {
				Nearest nearest = known.nearest(name);
				String spelling = variables ? variable(nearest.name()) : nearest.name();
				unknown.add(new Unknown(name, origin(source, name), nearest.near() ? spelling : ""));
			}
		}
	}

	private static boolean isOthers(String name) {
		return !name.toLowerCase(Locale.ROOT).startsWith(PREFIX);
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
