package io.quorate.spring.boot.autoconfigure;

import java.beans.PropertyDescriptor;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses a property of the client that nothing reads, in files, arguments and system
 * properties: most likely it is misspelt, and the client would go on with a default. In
 * the variables of the environment Kubernetes has names of its own for a service that is
 * named {@code quorate-client}: there it warns.
 */
final class PropertyNames implements BeanFactoryPostProcessor {

	private static final Log LOG = LogFactory.getLog(PropertyNames.class);

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(QuorateProperties.PREFIX);

	private final Environment environment;

	PropertyNames(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		SortedMap<ConfigurationPropertyName, Class<?>> known = new TreeMap<>();
		add(known, ROOT, QuorateProperties.class);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
				warn(known, variables);
			}
			else if (source instanceof IterableConfigurationPropertySource names) {
				names.stream().filter(ROOT::isAncestorOf).filter((name) -> !isKnown(known, name)).forEach((name) -> {
					throw new InvalidQuoratePropertyException(
							name.toString().substring(QuorateProperties.PREFIX.length() + 1),
							"nothing reads it. There are: " + names(known).collect(Collectors.joining(", ")), null);
				});
			}
		}
	}

	private static void warn(SortedMap<ConfigurationPropertyName, Class<?>> known,
			SystemEnvironmentPropertySource variables) {
		String unknown = Arrays.stream(variables.getPropertyNames())
			.filter((name) -> plain(name).startsWith(plain(QuorateProperties.PREFIX) + "_"))
			.filter((name) -> known.entrySet().stream().noneMatch((each) -> isVariable(name, each)))
			.sorted()
			.collect(Collectors.joining(", "));
		if (!unknown.isEmpty()) {
			LOG.warn("Nothing reads these variables of the environment: " + unknown);
		}
	}

	/* There are two spellings of dashes, and elements behind an underscore. */
	private static boolean isVariable(String name, Map.Entry<ConfigurationPropertyName, Class<?>> known) {
		String variable = plain(name).replace("_", "");
		String property = plain(known.getKey().toString()).replace("_", "");
		return variable.equals(property) || (hasElements(known.getValue()) && variable.startsWith(property));
	}

	private static String plain(String name) {
		return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_");
	}

	private static boolean hasElements(Class<?> kind) {
		return Collection.class.isAssignableFrom(kind) || Map.class.isAssignableFrom(kind);
	}

	private static void add(SortedMap<ConfigurationPropertyName, Class<?>> known, ConfigurationPropertyName prefix,
			Class<?> type) {
		for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type)) {
			Class<?> kind = property.getPropertyType();
			ConfigurationPropertyName name = prefix.append(DataObjectPropertyName.toDashedForm(property.getName()));
			if (kind.getEnclosingClass() == QuorateProperties.class) {
				add(known, name, kind);
			}
			else if (!property.getName().equals("class")) {
				known.put(name, kind);
			}
		}
	}

	private static boolean isKnown(SortedMap<ConfigurationPropertyName, Class<?>> known,
			ConfigurationPropertyName name) {
		return known.entrySet()
			.stream()
			.anyMatch((each) -> each.getKey().equals(name) || (Map.class.isAssignableFrom(each.getValue())
					? each.getKey().isAncestorOf(name) : Collection.class.isAssignableFrom(each.getValue())
							&& name.isLastElementIndexed() && each.getKey().isParentOf(name)));
	}

	private static Stream<String> names(SortedMap<ConfigurationPropertyName, Class<?>> known) {
		return known.keySet().stream().map((name) -> name.toString().substring(QuorateProperties.PREFIX.length() + 1));
	}

}
