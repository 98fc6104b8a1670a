package io.quorate;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.MetadataReader;

import static org.assertj.core.api.Assertions.assertThat;

class ClassReaderTests {

	private static final List<AnnotatedTypeMetadata> SEEN = new CopyOnWriteArrayList<>();

	@Test
	void aStartReadsConfigurationsByIt() throws IOException {
		SEEN.clear();
		SpringApplication application = new SpringApplication(Importing.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		try (ConfigurableApplicationContext context = application.run()) {
			Class<?> ofReader = new ClassReader(context.getClassLoader()).getMetadataReader(Named.class.getName())
				.getAnnotationMetadata()
				.getClass();
			assertThat(SEEN).isNotEmpty().allSatisfy((seen) -> assertThat(seen).isInstanceOf(ofReader));
		}
	}

	@Test
	void itReadsWhatReflectionShows() throws IOException {
		ClassReader reader = new ClassReader(getClass().getClassLoader());
		List<String> listed = ImportCandidates.load(Rooms.class, null).getCandidates();
		assertThat(listed).hasSizeGreaterThan(40).allSatisfy((name) -> {
			AnnotationMetadata read = reader.getMetadataReader(name).getAnnotationMetadata();
			AnnotationMetadata shown = AnnotationMetadata.introspect(Class.forName(name));
			assertThat(read.getAnnotationTypes()).isEqualTo(shown.getAnnotationTypes());
			assertThat(beans(read)).isEqualTo(beans(shown));
		});
	}

	private static List<String> beans(AnnotationMetadata type) {
		return type.getAnnotatedMethods("org.springframework.context.annotation.Bean")
			.stream()
			.map(MethodMetadata::getMethodName)
			.sorted()
			.toList();
	}

	@Test
	void itReadsAClassOnceUntilTheNodeHasStarted() throws IOException {
		ClassReader reader = new ClassReader(getClass().getClassLoader());
		MetadataReader first = reader.getMetadataReader(Named.class.getName());
		assertThat(reader.getMetadataReader(Named.class.getName())).isSameAs(first);
		reader.afterSingletonsInstantiated();
		assertThat(reader.getMetadataReader(Named.class.getName())).isNotSameAs(first);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(ByName.class)
	static class Importing {

	}

	static class ByName implements ImportSelector {

		@Override
		public String[] selectImports(AnnotationMetadata importing) {
			return new String[] { Named.class.getName() };
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Conditional(Seeing.class)
	static class Named {

	}

	static class Seeing implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return SEEN.add(metadata);
		}

	}

}
