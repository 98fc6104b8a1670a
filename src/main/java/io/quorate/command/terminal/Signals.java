package io.quorate.command.terminal;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The signals that end a process, which a handler gets in the place of its end until this
 * is closed. Reached by reflection: the JDK has them in {@code sun.misc} alone, of which
 * its compiler warns.
 */
public final class Signals implements AutoCloseable {

	private static final List<String> NAMES = List.of("TERM", "INT", "HUP");

	private final Method handle;

	/* The handlers that they had before. */
	private final Map<Object, Object> before = new LinkedHashMap<>();

	private Signals(Consumer<String> handler) throws ReflectiveOperationException {
		Class<?> signal = Class.forName("sun.misc.Signal");
		Class<?> type = Class.forName("sun.misc.SignalHandler");
		Method name = signal.getMethod("getName");
		this.handle = signal.getMethod("handle", signal, type);
		Object taker = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (_, _, arguments) -> {
			handler.accept((String) name.invoke(arguments[0]));
			return null;
		});
		for (String each : NAMES) {
			Object one = signal.getConstructor(String.class).newInstance(each);
			this.before.put(one, this.handle.invoke(null, one, taker));
		}
	}

	/** Has a handler called with the name of each, on a thread of the JVM. */
	public static Signals handle(Consumer<String> handler) {
		try {
			return new Signals(handler);
		}
		catch (ReflectiveOperationException none) {
			throw new IllegalStateException("the Java runtime has no signals", none);
		}
	}

	@Override
	public void close() {
		this.before.forEach((signal, handler) -> {
			try {
				this.handle.invoke(null, signal, handler);
			}
			catch (ReflectiveOperationException none) {
				throw new IllegalStateException("the Java runtime has no signals", none);
			}
		});
	}

}
