package io.quorate;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Imports the configurations and components of all rooms, by their list in
 * {@code META-INF/spring/io.quorate.Rooms.imports}. A scan of the packages would read
 * every class of the program at each start, to find one in twenty.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(Rooms.Listed.class)
@interface Rooms {

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

}
