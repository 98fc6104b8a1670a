package io.quorate.operations.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/**
 * Reports a wrong value of a {@code quorate.*} property, its origin, the reason, and the
 * right form. Leaves other properties to Boot, before whose analyzers it comes.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class WrongValueAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final String ROOT = "quorate";

	private static final String ACTION = "Correct the value, or remove it to have the default."
			+ " All properties are in src/docs/properties.md and config/application.yml.";

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable root, BindException cause) {
		if (!cause.getName().getElement(0, Form.UNIFORM).equals(ROOT)) {
			return null;
		}
		return new FailureAnalysis(describe(cause), ACTION, cause);
	}

	private static String describe(BindException cause) {
		Optional<BindValidationException> validation = find(cause, BindValidationException.class);
		if (validation.isPresent()) {
			return validation.get()
				.getValidationErrors()
				.getAllErrors()
				.stream()
				.map((error) -> violation(cause, error))
				.collect(Collectors.joining("\n"));
		}
		ConfigurationProperty property = cause.getProperty();
		if (property != null) {
			return "The property '%s' is '%s'%s: it must be %s.".formatted(property.getName(), property.getValue(),
					from(property.getOrigin()), expected(cause.getTarget().getType().resolve(Object.class)));
		}
		return find(cause, IllegalArgumentException.class).map(Throwable::getMessage)
			.map((message) -> "The configuration under '%s' is wrong: %s.".formatted(cause.getName(), message))
			.orElseGet(cause::getMessage);
	}

	private static String violation(BindException cause, ObjectError error) {
		if (error instanceof FieldError field) {
			return "The property '%s.%s' is '%s'%s: it %s.".formatted(cause.getName(), dashed(field.getField()),
					field.getRejectedValue(), from(Origin.from(error)), error.getDefaultMessage());
		}
		return "The configuration under '%s' is wrong: %s.".formatted(cause.getName(), error.getDefaultMessage());
	}

	private static String dashed(String field) {
		return Arrays.stream(field.split("\\.", -1))
			.map(DataObjectPropertyName::toDashedForm)
			.collect(Collectors.joining("."));
	}

	private static String from(@Nullable Origin origin) {
		return (origin != null) ? " (from " + origin + ")" : "";
	}

	private static String expected(Class<?> type) {
		if (type.isEnum()) {
			return "one of " + Arrays.stream(type.getEnumConstants())
				.map((constant) -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
				.collect(Collectors.joining(", "));
		}
		if (type == DataSize.class) {
			return "a size with its unit, such as 512KB, 16MB or 1GB";
		}
		if (type == Duration.class) {
			return "a duration with its unit, such as 500ms, 30s or 3h";
		}
		if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
			return "a whole number";
		}
		if (type == boolean.class || type == Boolean.class) {
			return "true or false";
		}
		return (type == Path.class) ? "a path" : "a " + type.getSimpleName();
	}

	private static <T extends Throwable> Optional<T> find(Throwable from, Class<T> type) {
		Throwable deepest = null;
		for (Throwable at = from; at != null; at = at.getCause()) {
			deepest = type.isInstance(at) ? at : deepest;
		}
		return Optional.ofNullable(deepest).map(type::cast);
	}

}
