package io.quorate;

import java.nio.file.Path;

import io.quorate.SourceText.Comment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SourceTextTests {

	private static SourceText of(String source) {
		return SourceText.of(Path.of("A.java"), source);
	}

	@Test
	void commentsAndStringsAreToldApart() {
		SourceText text = of("""
				/* one * two */ String a = "/* none */"; // three
				char quote = '"'; String b = "four \\" five";
				""");
		assertThat(text.comments()).extracting(Comment::text).containsExactly("one * two", "three");
		assertThat(text.strings()).containsExactly("\"/* none */\"", "\"four \\\" five\"");
		assertThat(text.lines()).isEqualTo(2);
	}

	@Test
	void javadocOfATypeIsKnownAlsoBehindAnnotations() {
		SourceText text = of("""
				/**
				 * The first
				 * line.
				 */
				@A(b = { "c(" }, d = @E(1))
				public final class A {
					/** A field. */
					private int a;
				}
				""");
		assertThat(text.comments()).containsExactly(new Comment("The first line.", true),
				new Comment("A field.", false));
	}

}
