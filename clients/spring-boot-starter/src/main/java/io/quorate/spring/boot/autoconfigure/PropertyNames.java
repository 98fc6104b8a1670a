package io.quorate.spring.boot.autoconfigure;

import java.beans.PropertyDescriptor;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
 * named {@code quorate-client}.
 */
final class PropertyNames implements BeanFactoryPostProcessor {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(QuorateProperties.PREFIX);

	private final Environment environment;

	PropertyNames(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		SortedMap<ConfigurationPropertyName, Boolean> known = new TreeMap<>();
		add(known, ROOT, QuorateProperties.class);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (!(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)
					&& source instanceof IterableConfigurationPropertySource names) {
				names.stream().filter(ROOT::isAncestorOf).filter((name) -> !isKnown(known, name)).forEach((name) -> {
					throw new InvalidQuoratePropertyException(
							name.toString().substring(QuorateProperties.PREFIX.length() + 1),
							"nothing reads it. There are: " + names(known).collect(Collectors.joining(", ")), null);
				});
			}
		}
	}

	/* By the name, whether it has elements. */
	private static void add(SortedMap<ConfigurationPropertyName, Boolean> known, ConfigurationPropertyName prefix,
			Class<?> type) {
		for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type)) {
			Class<?> kind = property.getPropertyType();
			ConfigurationPropertyName name = prefix.append(DataObjectPropertyName.toDashedForm(property.getName()));
			if (kind.getEnclosingClass() == QuorateProperties.class) {
				add(known, name, kind);
			}
			else if (!property.getName().equals("class")) {
				known.put(name, Collection.class.isAssignableFrom(kind));
			}
		}
	}

	private static boolean isKnown(SortedMap<ConfigurationPropertyName, Boolean> known,
			ConfigurationPropertyName name) {
		return known.containsKey(name)
				|| (name.isLastElementIndexed() && Boolean.TRUE.equals(known.get(name.getParent())));
	}

	private static Stream<String> names(SortedMap<ConfigurationPropertyName, Boolean> known) {
		return known.keySet().stream().map((name) -> name.toString().substring(QuorateProperties.PREFIX.length() + 1));
	}

}
