package io.quorate.security;

import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * A key in the form in which it may be logged, and be in spans and errors: 64 bits of an
 * HMAC-SHA-256 under the log key. A reader of the log who has a list of keys cannot find
 * out which of them a line is about, unless he has the log key, too; he can see that two
 * lines are about the same key. One log key for the process, as there is one log.
 */
public final class LoggedKey {

	/** Size of a log key. */
	static final int LOG_KEY_BYTES = 32;

	private static final String ALGORITHM = "HmacSHA256";

	private static volatile SecretKeySpec logKey = random();

	private LoggedKey() {
	}

	private static SecretKeySpec random() {
		byte[] bytes = new byte[LOG_KEY_BYTES];
		new SecureRandom().nextBytes(bytes);
		return new SecretKeySpec(bytes, ALGORITHM);
	}

	/**
	 * Loads the random bytes and the algorithm, for which the first use would have to
	 * wait: called before there are event loops that would wait.
	 */
	public static void prepare() {
		of(Key.of("any"));
	}

	/** Sets the log key for all keys from now on, in place of the random one. */
	static void use(byte[] configured) {
		logKey = new SecretKeySpec(configured, ALGORITHM);
	}

	/** The printed form: 16 hexadecimal digits. */
	public static String of(@Nullable Key key) {
		if (key == null) {
			return "unknown";
		}
		try {
			Mac mac = Mac.getInstance(ALGORITHM);
			mac.init(logKey);
			return HexFormat.of().formatHex(mac.doFinal(key.array()), 0, Long.BYTES);
		}
		catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
			throw new IllegalStateException("every JDK has " + ALGORITHM, impossible);
		}
	}

}
