package io.quorate.spring.boot.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** The properties of the clients. */
@ConfigurationProperties(QuorateProperties.PREFIX)
public class QuorateProperties {

	/** The prefix of all properties. */
	public static final String PREFIX = "quorate.client";

	/**
	 * URLs of the nodes, such as http://10.0.0.1:8080.
	 */
	private List<String> endpoints = List.of("http://localhost:8080");

	/**
	 * Token to send with each request.
	 */
	private @Nullable String token;

	/**
	 * File with the token. The client reads it again when it changes.
	 */
	private @Nullable Path tokenFile;

	/**
	 * Number of replicas that must answer. By default a majority of "from".
	 */
	private @Nullable Integer ack;

	/**
	 * Number of nodes that hold copies. By default the replication factor of the cluster.
	 */
	private @Nullable Integer from;

	/**
	 * Time for a whole call, with all nodes that it asks. Of a range it is the time until
	 * the next record.
	 */
	private Duration deadline = Duration.ofSeconds(30);

	/**
	 * Time for which a node may send and take nothing before the client asks the next
	 * node.
	 */
	private Duration stallTimeout = Duration.ofSeconds(5);

	/**
	 * Time that a node may take for a request. By default the node decides.
	 */
	private @Nullable Duration nodeTimeout;

	/**
	 * Whether to repeat writes whose outcome is unknown. It is harmless only if no other
	 * client writes the same keys.
	 */
	private boolean repeatUnknown;

	/**
	 * Size of the largest answer that the client takes. Of a range it is that of its
	 * largest line.
	 */
	private DataSize maxAnswerSize = DataSize.ofMegabytes(64);

	/**
	 * Most requests under way at once, to all nodes together.
	 */
	private int connections = 64;

	/**
	 * Whether the first node to ask is a random one and not the first endpoint.
	 */
	private boolean shuffle = true;

	private final Ssl ssl = new Ssl();

	private final Health health = new Health();

	private final Cache cache = new Cache();

	private final Session session = new Session();

	private final Config config = new Config();

	private final Lock lock = new Lock();

	public List<String> getEndpoints() {
		return this.endpoints;
	}

	public void setEndpoints(List<String> endpoints) {
		this.endpoints = endpoints;
	}

	public @Nullable String getToken() {
		return this.token;
	}

	public void setToken(@Nullable String token) {
		this.token = token;
	}

	public @Nullable Path getTokenFile() {
		return this.tokenFile;
	}

	public void setTokenFile(@Nullable Path tokenFile) {
		this.tokenFile = tokenFile;
	}

	public @Nullable Integer getAck() {
		return this.ack;
	}

	public void setAck(@Nullable Integer ack) {
		this.ack = ack;
	}

	public @Nullable Integer getFrom() {
		return this.from;
	}

	public void setFrom(@Nullable Integer from) {
		this.from = from;
	}

	public Duration getDeadline() {
		return this.deadline;
	}

	public void setDeadline(Duration deadline) {
		this.deadline = deadline;
	}

	public Duration getStallTimeout() {
		return this.stallTimeout;
	}

	public void setStallTimeout(Duration stallTimeout) {
		this.stallTimeout = stallTimeout;
	}

	public @Nullable Duration getNodeTimeout() {
		return this.nodeTimeout;
	}

	public void setNodeTimeout(@Nullable Duration nodeTimeout) {
		this.nodeTimeout = nodeTimeout;
	}

	public boolean isRepeatUnknown() {
		return this.repeatUnknown;
	}

	public void setRepeatUnknown(boolean repeatUnknown) {
		this.repeatUnknown = repeatUnknown;
	}

	public DataSize getMaxAnswerSize() {
		return this.maxAnswerSize;
	}

	public void setMaxAnswerSize(DataSize maxAnswerSize) {
		this.maxAnswerSize = maxAnswerSize;
	}

	public int getConnections() {
		return this.connections;
	}

	public void setConnections(int connections) {
		this.connections = connections;
	}

	public boolean isShuffle() {
		return this.shuffle;
	}

	public void setShuffle(boolean shuffle) {
		this.shuffle = shuffle;
	}

	public Ssl getSsl() {
		return this.ssl;
	}

	public Health getHealth() {
		return this.health;
	}

	public Cache getCache() {
		return this.cache;
	}

	public Session getSession() {
		return this.session;
	}

	public Config getConfig() {
		return this.config;
	}

	public Lock getLock() {
		return this.lock;
	}

	/** The properties for HTTPS. */
	public static class Ssl {

		/**
		 * Name of the SSL bundle for HTTPS. By default the client trusts the authorities
		 * of the JDK.
		 */
		private @Nullable String bundle;

		public @Nullable String getBundle() {
			return this.bundle;
		}

		public void setBundle(@Nullable String bundle) {
			this.bundle = bundle;
		}

	}

	/** The properties of the health indicator. */
	public static class Health {

		/**
		 * Time for one check of the health, with all nodes that it asks.
		 */
		private Duration timeout = Duration.ofSeconds(3);

		public Duration getTimeout() {
			return this.timeout;
		}

		public void setTimeout(Duration timeout) {
			this.timeout = timeout;
		}

	}

	/** The properties of the caches. */
	public static class Cache {

		/**
		 * Whether the caches of Spring are in the cluster.
		 */
		private boolean enabled;

		/**
		 * Beginning of the keys of all caches.
		 */
		private String prefix = "cache/";

		/**
		 * Time to live of the values, in whole seconds.
		 */
		private Duration ttl = Duration.ofHours(1);

		/**
		 * Times to live of single caches, by their names.
		 */
		private Map<String, Duration> ttls = new HashMap<>();

		/**
		 * Types of the values of single caches, by their names. These are JSON, all
		 * others serialized by Java.
		 */
		private Map<String, Class<?>> types = new HashMap<>();

		/**
		 * Whether the time to live begins anew with each hit.
		 */
		private boolean idle;

		/**
		 * Time for a read or a write. After it a read is a miss, and a write is left out.
		 */
		private Duration timeout = Duration.ofMillis(500);

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public String getPrefix() {
			return this.prefix;
		}

		public void setPrefix(String prefix) {
			this.prefix = prefix;
		}

		public Duration getTtl() {
			return this.ttl;
		}

		public void setTtl(Duration ttl) {
			this.ttl = ttl;
		}

		public Map<String, Duration> getTtls() {
			return this.ttls;
		}

		public Map<String, Class<?>> getTypes() {
			return this.types;
		}

		public boolean isIdle() {
			return this.idle;
		}

		public void setIdle(boolean idle) {
			this.idle = idle;
		}

		public Duration getTimeout() {
			return this.timeout;
		}

		public void setTimeout(Duration timeout) {
			this.timeout = timeout;
		}

	}

	/** The properties of the sessions. */
	public static class Session {

		/**
		 * Whether the sessions of Spring Session are in the cluster.
		 */
		private boolean enabled;

		/**
		 * Beginning of the keys of all sessions.
		 */
		private String prefix = "session/";

		/**
		 * Which attributes a request saves.
		 */
		private SaveMode saveMode = SaveMode.ON_SET_ATTRIBUTE;

		/**
		 * When a request saves them. Reactive applications save at its end.
		 */
		private FlushMode flushMode = FlushMode.ON_SAVE;

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public String getPrefix() {
			return this.prefix;
		}

		public void setPrefix(String prefix) {
			this.prefix = prefix;
		}

		public SaveMode getSaveMode() {
			return this.saveMode;
		}

		public void setSaveMode(SaveMode saveMode) {
			this.saveMode = saveMode;
		}

		public FlushMode getFlushMode() {
			return this.flushMode;
		}

		public void setFlushMode(FlushMode flushMode) {
			this.flushMode = flushMode;
		}

		/** The attributes that a request saves. */
		public enum SaveMode {

			/** Those that it has set. */
			ON_SET_ATTRIBUTE,

			/** Those that it has set or read. */
			ON_GET_ATTRIBUTE,

			/** All. */
			ALWAYS

		}

		/** The time at which a request saves attributes. */
		public enum FlushMode {

			/** At its end. */
			ON_SAVE,

			/** At each change. */
			IMMEDIATE

		}

	}

	/** The properties of imported configuration. */
	public static class Config {

		/**
		 * Whether imported configuration follows its changes.
		 */
		private boolean refresh = true;

		public boolean isRefresh() {
			return this.refresh;
		}

		public void setRefresh(boolean refresh) {
			this.refresh = refresh;
		}

	}

	/** The properties of the locks. */
	public static class Lock {

		/**
		 * Whether there is a lock registry for Spring Integration.
		 */
		private boolean enabled;

		/**
		 * Beginning of the keys of all locks.
		 */
		private String prefix = "lock/";

		/**
		 * Time after which the lock of a process that has ended is free, in whole
		 * seconds.
		 */
		private Duration ttl = Duration.ofSeconds(30);

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public String getPrefix() {
			return this.prefix;
		}

		public void setPrefix(String prefix) {
			this.prefix = prefix;
		}

		public Duration getTtl() {
			return this.ttl;
		}

		public void setTtl(Duration ttl) {
			this.ttl = ttl;
		}

	}

}
