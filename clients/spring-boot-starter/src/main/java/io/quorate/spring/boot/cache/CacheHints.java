package io.quorate.spring.boot.cache;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;

import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.util.ReflectionUtils;

/** The hints of the caches for a native image: arguments, and types of values as JSON. */
final class CacheHints implements BeanFactoryInitializationAotProcessor {

	private static final Bindable<Map<String, Class<?>>> TYPES = Bindable.of(ResolvableType
		.forClassWithGenerics(Map.class, ResolvableType.forClass(String.class), ResolvableType.forClass(Class.class)));

	@Override
	public BeanFactoryInitializationAotContribution processAheadOfTime(ConfigurableListableBeanFactory beans) {
		Collection<Class<?>> types = Binder.get(beans.getBean(Environment.class))
			.bind(QuorateProperties.PREFIX + ".cache.types", TYPES)
			.orElse(Map.of())
			.values();
		return (context, code) -> {
			RuntimeHints hints = context.getRuntimeHints();
			hints.reflection()
				.registerField(Objects.requireNonNull(ReflectionUtils.findField(SimpleKey.class, CacheKeys.ARGUMENTS)));
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(),
					types.toArray(Class<?>[]::new));
		};
	}

}
