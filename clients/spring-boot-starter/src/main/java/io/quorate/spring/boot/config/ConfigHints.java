package io.quorate.spring.boot.config;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The hint of the refresh for a native image: the event of Spring Cloud. */
final class ConfigHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
		hints.reflection()
			.registerTypeIfPresent(loader, QuorateConfigAutoConfiguration.CLOUD_EVENT,
					MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
	}

}
