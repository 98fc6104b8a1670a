package io.quorate.command.setup;

import java.io.IOException;

/**
 * The directory of a node, which lies as {@code /etc/quorate} on its host: configuration,
 * access file, and the unit of systemd. A node that starts in it finds its files.
 */
final class NodeDirectory {

	private static final String UNIT = """
			[Unit]
			Description=Quorate, a replicated key-value service
			Wants=network-online.target
			After=network-online.target

			[Service]
			DynamicUser=yes
			User=quorate
			Group=quorate
			StateDirectory=quorate
			StateDirectoryMode=0750
			WorkingDirectory=/etc/quorate
			EnvironmentFile=-/etc/default/quorate
			Environment=PATH=/opt/quorate/bin:/usr/local/bin:/usr/bin:/bin
			# Only the user of the node reads its keys.
			ExecStartPre=+/bin/chown -R --reference=/var/lib/quorate/. /etc/quorate
			ExecStart=/usr/bin/env quorate server
			# The JVM ends so at SIGTERM.
			SuccessExitStatus=143
			# A node that stops answers what is in flight, and flushes its memtable.
			TimeoutStopSec=120
			Restart=on-failure
			RestartSec=5
			LimitNOFILE=65536
			UMask=0027
			NoNewPrivileges=true
			PrivateTmp=true
			ProtectHome=true
			ProtectSystem=strict

			[Install]
			WantedBy=multi-user.target
			""";

	private NodeDirectory() {
	}

	/** Writes all but the certificates. */
	static void write(ClusterNode node, ClusterNodes cluster, String access, NewDirectory files) throws IOException {
		files.write("application.yml", configuration(node, cluster));
		files.write("access.yml", access);
		files.write("quorate.service", UNIT);
	}

	private static String configuration(ClusterNode node, ClusterNodes cluster) {
		return """
				# The node %1$s, by 'quorate init'. All properties: src/docs/properties.md.
				quorate:
				  node.id: "%1$s"
				  cluster:
				    # The members with which the cluster began: never to be changed. 'quorate cluster' adds others.
				    members: "%2$s"
				    replication-factor: %3$d
				%4$s  internode:
				    address: "%5$s"
				    ssl-bundle: peers
				  security.access: access.yml
				  storage.directory: /var/lib/quorate
				server:
				  address: "%5$s"
				  port: %6$d
				  ssl.bundle: clients
				spring.ssl.bundle.pem:
				  peers:
				    reload-on-update: true
				    keystore: {certificate: node.crt, private-key: node.key, verify-keys: true}
				    truststore.certificate: nodes-ca.crt
				  clients:
				    reload-on-update: true
				    keystore: {certificate: server.crt, private-key: server.key, verify-keys: true}
				""".formatted(node.id(), cluster.members(), cluster.copies(), joining(node, cluster), node.listens(),
				node.port());
	}

	private static String joining(ClusterNode node, ClusterNodes cluster) {
		if (node.place() != ClusterNode.Place.JOINS) {
			return "";
		}
		String seeds = cluster.seeds(node);
		return "    join: \"%s\"%n".formatted(node.peers())
				+ (seeds.isEmpty() ? "" : "    seeds: \"%s\"%n".formatted(seeds));
	}

}
