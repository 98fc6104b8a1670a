package io.quorate.spring.boot.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

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

}
