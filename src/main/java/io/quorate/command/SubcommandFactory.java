package io.quorate.command;

import java.lang.reflect.Constructor;

import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** The factory of subcommands: those that ask for the terminal get it. */
final class SubcommandFactory implements IFactory {

	private final Terminal terminal;

	SubcommandFactory(Terminal terminal) {
		this.terminal = terminal;
	}

	@Override
	public <K> K create(Class<K> type) throws Exception {
		for (Constructor<?> constructor : type.getDeclaredConstructors()) {
			if (constructor.getParameterCount() == 1 && constructor.getParameterTypes()[0] == Terminal.class) {
				return type.cast(constructor.newInstance(this.terminal));
			}
		}
		return CommandLine.defaultFactory().create(type);
	}

}
