package io.quorate;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Imports the configurations and components of all rooms, by their list in
 * {@code META-INF/spring/io.quorate.Rooms.imports}, and the auto-configurations of Spring
 * Boot.
 * <p>
 * A scan of the packages would read every class of the program at each start, to find one
 * in twenty. Spring Boot scans the package of a class with
 * {@code @EnableAutoConfiguration} once more, for mixins of Jackson, of which there are
 * none: so that annotation is not used.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import({ Rooms.Listed.class, Rooms.AutoConfigurations.class })
@interface Rooms {

	/** Auto-configurations that are left out. */
	Class<?>[] exclude() default {};

	/** Names of auto-configurations that are left out. */
	String[] excludeName() default {};

	/** Selects the classes that the list names. */
	class Listed implements ImportSelector, BeanClassLoaderAware {

		private @Nullable ClassLoader classLoader;

		@Override
		public void setBeanClassLoader(ClassLoader classLoader) {
			this.classLoader = classLoader;
		}

		@Override
		public String[] selectImports(AnnotationMetadata importing) {
			return ImportCandidates.load(Rooms.class, this.classLoader).getCandidates().toArray(String[]::new);
		}

	}

	/** Selects the auto-configurations. */
	class AutoConfigurations extends AutoConfigurationImportSelector {

		@Override
		protected Class<?> getAnnotationClass() {
			return Rooms.class;
		}

	}

}
