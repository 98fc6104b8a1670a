package io.quorate;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/**
 * The reader of the classes that may be configurations, some hundred at each start, by
 * the ASM of Spring. On Java 24 and later Spring would take the ClassFile API of the JDK:
 * it makes a model of each class, by classes of its own that no AOT cache keeps, and a
 * start takes a tenth more of processor time.
 */
final class ClassReader extends SimpleMetadataReaderFactory implements SmartInitializingSingleton {

	/* Spring Boot registers its own unless there is one of this name. */
	private static final String NAME = "org.springframework.boot.autoconfigure.internalCachingMetadataReaderFactory";

	private final Map<String, MetadataReader> read = new ConcurrentHashMap<>();

	ClassReader(@Nullable ClassLoader classLoader) {
		super(classLoader);
	}

	@Override
	public MetadataReader getMetadataReader(String className) throws IOException {
		MetadataReader known = this.read.get(className);
		if (known == null) {
			known = super.getMetadataReader(className);
			this.read.put(className, known);
		}
		return known;
	}

	/** Forgets what it has read: a node that serves reads no more. */
	@Override
	public void afterSingletonsInstantiated() {
		this.read.clear();
	}

	/** Registers the reader before Spring Boot does. */
	static final class Registrar implements ApplicationContextInitializer<GenericApplicationContext> {

		@Override
		public void initialize(GenericApplicationContext context) {
			context.registerBean(NAME, ClassReader.class, () -> new ClassReader(context.getClassLoader()));
		}

	}

}
