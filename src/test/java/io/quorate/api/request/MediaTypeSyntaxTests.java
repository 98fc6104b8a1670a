package io.quorate.api.request;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class MediaTypeSyntaxTests {

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "text/html", "Text/HTML", "application/vnd.api+json",
			"application/x-www-form-urlencoded", "x-a/b!#$&-^_.+", "text/plain;charset=utf-8",
			"text/plain ; charset=utf-8", "text/plain;  a=b ; c=d", "text/plain;", "text/plain; ;a=b",
			"text/plain;a=\"b c\"", "text/plain;a=\"\"", "text/plain;a=\"b\\\"c\" ;d=e",
			"multipart/form-data; boundary=--x'y", "text/plain; a=*", "3gpp/2" })
	void theseAreMediaTypes(String text) {
		assertThat(MediaTypeSyntax.matches(text)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a", "a/", "/b", "/", "a b/c", "a/b c", " a/b", "a/ b", "*/*", "a/*", "*",
			"a/b/c", "a/b,c/d", "a/b;c", "a/b;c=", "a/b;=c", "a/b; c =d", "a/b; c= d", "a/b;c=\"", "a/b;c=\"d",
			"a/b;c=\"d\\", "a/b;c=\"d\"e", "a/b;c=d,e", "a/b;c=\"\t\"", "a/b;\tc=d", "a/b;c=\"\u00e4\"", "a/\u00e4",
			"a/b\r\nc: d", "a/b;c=\"\r\nd: e\"", "a/b;c=\"\\\n\"", "a/b\0", "text/html; charset=utf-8, text/plain" })
	void theseAreNone(String text) {
		assertThat(MediaTypeSyntax.matches(text)).isFalse();
	}

}
