package io.quorate.operations.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import io.quorate.operations.configuration.KnownProperties.Nearest;
import io.quorate.operations.configuration.UnknownPropertyException.Unknown;

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
 * bean of ours is made, so that a misspelt directory opens no other one.
 */
final class PropertyCheck implements BeanFactoryPostProcessor {

	private static final String PREFIX = "quorate.";

	private static final String VARIABLE_PREFIX = "QUORATE_";

	/*
	 * Kubernetes gives every container such variables for a service that is named
	 * "quorate" or "quorate-...": they are no one's mistake.
	 */
	private static final Pattern SERVICE_LINK = Pattern.compile(
			"QUORATE_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

	private final ConfigurableEnvironment environment;

	PropertyCheck(ConfigurableEnvironment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		KnownProperties known = known(beanFactory);
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

	private static KnownProperties known(ConfigurableListableBeanFactory beanFactory) {
		KnownProperties known = new KnownProperties();
		for (String bean : beanFactory.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
			Class<?> type = beanFactory.getType(bean, false);
			if (type != null && type.isRecord()) {
				String prefix = MergedAnnotations.from(type).get(ConfigurationProperties.class).getString("prefix");
				if (prefix.startsWith(PREFIX)) {
					known.add(prefix, type);
				}
			}
		}
		return known;
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
		return !upper.startsWith(VARIABLE_PREFIX) || SERVICE_LINK.matcher(upper).matches();
	}

	private static String variable(String property) {
		return property.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
	}

	private static String origin(PropertySource<?> source, String name) {
		Origin origin = OriginLookup.getOrigin(source, name);
		return (origin != null) ? origin.toString() : source.getName();
	}

}
