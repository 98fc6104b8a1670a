package io.quorate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.boot.jackson.JacksonMixin;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.type.filter.AnnotationTypeFilter;

import static org.assertj.core.api.Assertions.assertThat;

class RoomsTests {

	/* Tests have components of their own. */
	private static boolean isOfTheProgram(String className) {
		try {
			String program = String
				.valueOf(QuorateApplication.class.getProtectionDomain().getCodeSource().getLocation());
			return new ClassPathResource(className.replace('.', '/') + ".class").getURL()
				.toString()
				.startsWith(program);
		}
		catch (IOException missing) {
			throw new UncheckedIOException(missing);
		}
	}

	@Test
	void theListNamesEachComponentOnceInOrder() {
		TreeSet<String> found = new TreeSet<>();
		new ClassPathScanningCandidateComponentProvider(true).findCandidateComponents("io.quorate")
			.forEach((candidate) -> found.add(String.valueOf(candidate.getBeanClassName())));
		found.removeIf((each) -> !isOfTheProgram(each) || each.equals(QuorateApplication.class.getName()));
		List<String> listed = ImportCandidates.load(Rooms.class, null).getCandidates();
		assertThat(listed).as("META-INF/spring/io.quorate.Rooms.imports")
			.hasSizeGreaterThan(40)
			.containsExactlyElementsOf(found);
	}

	@Test
	void noClassHasAMixinForWhichPackagesWouldBeScanned() {
		ClassPathScanningCandidateComponentProvider mixins = new ClassPathScanningCandidateComponentProvider(false);
		mixins.addIncludeFilter(new AnnotationTypeFilter(JacksonMixin.class));
		assertThat(mixins.findCandidateComponents("io.quorate")).isEmpty();
	}

}
