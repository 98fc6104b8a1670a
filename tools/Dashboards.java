import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/*
 * Grafana's dashboards as code: tools/dashboards writes them. In queries "@" stands for the labels by which a dashboard
 * selects, "[~]" for the interval of rates. Fields that Grafana requires are written out with Grafana's defaults.
 * The first rows of a dashboard are open and answer its question. Rows of details are closed: Grafana asks their queries
 * only when a user opens them.
 */

static final String SECONDS = "s", BYTES = "bytes", BYTES_A_SECOND = "Bps", REQUESTS = "reqps", TIMES = "ops",
		SHARE = "percentunit", NUMBER = "short", STATE = "bool_yes_no";

static final List<State> WANTED = List.of(new State(0, "no", "red"), new State(1, "yes", "green")),
		FEARED = List.of(new State(0, "no", "green"), new State(1, "yes", "red")),
		WORK = List.of(new State(0, "no", "green"), new State(1, "yes", "blue"));

void main(String[] arguments) throws IOException {
	Path directory = Path.of(arguments[0]);
	Files.createDirectories(directory);
	for (Dashboard dashboard : List.of(overview(), node(), replication(), repair(), storage())) {
		Files.writeString(directory.resolve(dashboard.name() + ".json"), Json.of(dashboard.model()) + "\n");
	}
}

Dashboard overview() {
	String selected = "cluster=\"$cluster\"";
	return new Dashboard("overview", "Overview", "Is it slow, for whom, why, and is data at risk?", selected, List.of(
		row("Now",
			stat("Nodes that answer", SHARE, "Of the nodes that Prometheus watches, those from which it gets meters.",
				query("sum(up{job=\"quorate\",@}) / count(up{job=\"quorate\",@})", "")).worseBelow(1),
			stat("Partitions without a majority", NUMBER, "Of 16,384. Their keys can be neither read nor written with the default consistency, as the node sees it that sees the worst.",
				query("cluster:quorate_quorum_unavailable_partitions:max{@}", "")).worseAbove(1),
			stat("Requests that fail", SHARE, "Answered 503, 504, 507 or 5xx otherwise, over 5 minutes. The objective is 0.1 %.",
				query("cluster:quorate_request_errors:ratio_rate5m{@}", "")).worseAbove(0.001),
			stat("Requests that are slow", SHARE, "Above 100 ms, of the GET, PUT and DELETE that did not fail, over 5 minutes. The objective is 0.1 %.",
				query("cluster:quorate_request_slow:ratio_rate5m{@}", "")).worseAbove(0.001),
			stat("Alerts", NUMBER, "Alerts that fire; 'Alerts that fire' below says which.",
				query("count(" + alerts("alertstate=\"firing\"") + ") or vector(0)", "")).worseAbove(1)),
		row("What has happened?",
			nodes(),
			members("Each as the peer sees it that sees the worst.", "member", "{{member}}"),
			change(),
			firing()),
		row("Is it slow?",
			lines("Requests by operation", REQUESTS, "What clients ask for.",
				query("sum by (operation) (cluster_operation_outcome:quorate_request_seconds:rate1m{@})", "{{operation}}")),
			lines("Requests by outcome", REQUESTS, "What they get. Rejected is the client's fault (4xx); unavailable is 504, overloaded 503, disk_full 507, error any other 5xx; cancelled clients went before their answer.",
				query("sum by (outcome) (cluster_operation_outcome:quorate_request_seconds:rate1m{@})", "{{outcome}}")),
			heat("Latency of all requests", SECONDS, "From the end of a request to the head of its answer; those that failed are left out.",
				query("sum by (le) (cluster_operation_le:quorate_request_seconds_bucket:rate1m{@})", "{{le}}")),
			percentiles("get", "Latency of GET", "Readings of a key that did not fail."),
			percentiles("put", "Latency of PUT", "Writes that did not fail, including the fsync of the log on as many nodes as must acknowledge."),
			lines("Whole scans and batches (p99)", SECONDS, "Scans to the end of the stream, of which broken ones ended with a closed connection; batches until all answers have left.",
				query(quantile(0.99, "quorate_scan_seconds", "outcome"), "scan {{outcome}}"),
				query(quantile(0.99, "quorate_batch_seconds", "outcome"), "batch {{outcome}}")).log(),
			lines("Items of batches by status", REQUESTS, "A batch is one successful request, whatever becomes of its items. invalid is a line that is no item.",
				query("sum by (op, status) (rate(quorate_batch_items_total{@}[~])) > 0", "{{op}} {{status}}"))),
		details("How long will the budgets last?",
			lines("Burn rate of the budgets", NUMBER, "Of the requests that fail, and of those that are slow. At 1 the month's budget is used up in a month, at 14.4 in two days. Alerts call at 14.4, 6, 3 and 1.",
				Stream.concat(burn("errors"), burn("slow")).toArray(Query[]::new)).log()),
		details("For whom, and why?",
			lines("Latency by node (p99)", SECONDS, "By the node that was asked. One that differs has clients far away or a fault of its own.",
				query("node_operation:quorate_request_seconds:p99_1m{@,operation=\"get\"}", "GET {{node}}"),
				query("node_operation:quorate_request_seconds:p99_1m{@,operation=\"put\"}", "PUT {{node}}")).log(),
			lines("Event loops late by node (p99)", SECONDS, "Under every request. Above some milliseconds the node has too little processor, or pauses.",
				query("node:quorate_event_loop_lag_seconds:p99_1m{@}", "{{node}}")).log(),
			lines("Shed, by reason", REQUESTS, "Refused with 503: a bound of the node (requests, bytes), of its peers (replicas), its clock; or because it stops.",
				query(rate("quorate_shed_total", "node, reason"), "{{node}} {{reason}}"))),
		row("Is data at risk?",
			lines("Writes missed by a replica", TIMES, "Not acknowledged by this replica: those that others acknowledged it gets by hints, reads and comparisons.",
				query("cluster_peer:quorate_acks_missing:rate5m{@}", "{{peer}}")),
			lines("Disk used", SHARE, "At nine tenths, or quorate.storage.min-free-space from the end, writes are refused.",
				query("node:quorate_storage_disk_used:ratio{@}", "{{node}}")),
			lines("Damage", NUMBER, "Checksums that did not match, of the last hour; logs that have failed.",
				query("sum by (node) (increase(quorate_storage_checksum_failures_total{@}[1h]))", "checksums {{node}}"),
				query("quorate_storage_failed{@}", "log failed {{node}}")))));
}

Dashboard node() {
	String selected = "cluster=\"$cluster\",node=~\"$node\"";
	return new Dashboard("node", "Node", "One node, or several beside each other: what it does for clients, its bounds, its memory.", selected, List.of(
		row("State",
			timeline("Ready", WANTED, "Whether clients should be sent to it: the store open, a majority met, its clock believed, not about to stop.",
				query("quorate_ready{@}", "{{node}}"))),
		details("Process and credentials",
			stat("Version", NUMBER, "Nodes of each version.",
				query("count by (version) (quorate_info{@})", "{{version}}")),
			stat("Certificates and tokens", SECONDS, "Time until the first of those expires that the node shows its peers and its clients, or accepts from its clients.",
				query("quorate_internode_certificate_remaining_seconds{@}", "{{node}}"),
				query("quorate_api_certificate_remaining_seconds{@}", "{{node}}, {{port}}"),
				query("quorate_security_credential_remaining_seconds{@}", "{{node}}, tokens")).worseBelow(5 * 86400),
			stat("Open", NUMBER, "1 if clients need no credentials, because there is no access file.",
				query("quorate_security_open{@}", "{{node}}")).worseAbove(0),
			stat("Access file and keys of JSON web tokens", NUMBER, "1 while the newest form is in use, 0 while the one before is; nothing without them.",
				query("quorate_security_access_valid{@}", "{{node}}, file"),
				query("quorate_security_jwt_keys_valid{@}", "{{node}}, keys")).worseBelow(1)),
		row("Requests",
			lines("Requests by operation", REQUESTS, "What clients ask of the node.",
				query("node_operation:quorate_request_seconds:rate1m{@}", "{{node}} {{operation}}")),
			lines("Requests by outcome", REQUESTS, "What they get.",
				query(rate("quorate_request_seconds_count", "node, outcome"), "{{node}} {{outcome}}")),
			lines("Latency by operation (p99)", SECONDS, "Of what did not fail.",
				query("node_operation:quorate_request_seconds:p99_1m{@}", "{{node}} {{operation}}")).log(),
			lines("Stages of the coordinator (p99)", SECONDS, "stamp: the wait for a timestamp. replicas: until the answer that completes the quorum. settle: until enough replicas hold what a read answers. The longest says why a request is slow.",
				query(quantile(0.99, "quorate_coordinator_stage_seconds", "operation, stage"), "{{operation}} {{stage}}")).log(),
			lines("The replica's own work (p99)", SECONDS, "What the node does as a replica, for its own coordinator and for its peers.",
				query(quantile(0.99, "quorate_replica_local_seconds", "node, operation"), "{{node}} {{operation}}")).log(),
			lines("Values in and out", BYTES_A_SECOND, "Bodies of PUT, values of GET.",
				query(rate("quorate_value_size_bytes_sum", "node, direction"), "{{node}} {{direction}}"))),
		row("Watches",
			lines("Watches by state", NUMBER, "behind: they catch up. stalled: too few members are reached to be sure of changes.",
				query("sum by (node, state) (quorate_watch_active{@})", "{{node}} {{state}}")),
			lines("Changes reported to watches", TIMES, "Confirmed by a majority that has named them, or by a read. Many reads: members are behind each other.",
				query(rate("quorate_watch_events_total", "node, confirmed"), "{{node}} {{confirmed}}"))),
		details("Bounds",
			lines("Requests and bytes in flight", SHARE, "Of quorate.coordinator.max-requests and max-bytes. At the bound requests are answered 503.",
				query("quorate_inflight_requests{@} / quorate_inflight_requests_limit{@}", "{{node}} requests"),
				query("quorate_inflight_bytes{@} / quorate_inflight_limit_bytes{@}", "{{node}} bytes")),
			lines("Keys that scans look at, for each record", NUMBER, "Above 1 they meet deleted, expired or doubled entries; above 100 it calls.",
				query("node:quorate_scan_keys_examined:per_record_rate5m{@}", "{{node}}")),
			lines("Open files", SHARE, "Of what the system allows the process.",
				query("process_files_open_files{@} / process_files_max_files{@}", "{{node}}"))),
		details("Processor and log",
			lines("Processor", SHARE, "Of the node, and of the whole machine.",
				query("process_cpu_usage{@}", "{{node}}"),
				query("system_cpu_usage{@}", "machine of {{node}}")),
			heat("Lag of event loops", SECONDS, "How late a task of an event loop runs. All requests of the loop are so much late.",
				query("sum by (le) (rate(quorate_event_loop_lag_seconds_bucket{@}[~]))", "{{le}}")),
			lines("Lines of the log", TIMES, "Warnings and errors; a healthy node logs no errors.",
				query("sum by (node, level) (rate(logback_events_total{@,level=~\"warn|error\"}[~]))", "{{node}} {{level}}"))),
		details("Memory",
			lines("Heap in use after a collection", SHARE, "What lives. Above 85 % pauses get long.",
				query("jvm_memory_usage_after_gc{@,area=\"heap\"}", "{{node}}")),
			lines("Time in pauses", SHARE, "All threads stand still. Above 5 % it calls.",
				query("node:jvm_gc_pause:ratio_rate5m{@}", "{{node}}")),
			lines("Longest pause", SECONDS, "Of the last minutes: every request of that time took so long.",
				query("max by (node, action) (jvm_gc_pause_seconds_max{@})", "{{node}} {{action}}")),
			lines("Direct memory", SHARE, "Of its bound: buffers of Netty. Steadily rising is a leak.",
				query("node:quorate_direct_memory:ratio{@}", "{{node}}")))));
}

Dashboard replication() {
	String selected = "cluster=\"$cluster\",node=~\"$node\"";
	return new Dashboard("replication", "Replication", "How the nodes see each other, what replicas miss and how it is mended, and their clocks.", selected, List.of(
		row("Members",
			members("How each node sees each other. refused: their programs or their configuration do not go together.", "node, member",
				"{{node}} sees {{member}}").wide(),
			lines("Partitions in want of replicas", NUMBER, "Of 16,384, as each node sees it: those that lack a replica, and those without a majority.",
				query("quorate_quorum_partitions{@,state=\"degraded\"}", "{{node}} lack one"),
				query("quorate_quorum_partitions{@,state=\"unavailable\"}", "{{node}} no majority")),
			lines("Connections", NUMBER, "That are up, to each peer.",
				query("quorate_internode_connections{@}", "{{node}} to {{peer}}, {{encryption}}"),
				query("quorate_internode_tls{@,mode=\"optional\"}", "{{node}} takes both forms")),
			lines("Peers that fell silent", TIMES, "Suspected. A peer that does it often stalls: pauses, its disk, no processor.",
				query(rate("quorate_internode_suspected_total", "peer"), "{{peer}}"))),
		row("Changes of members",
			timeline("Who holds up the change", FEARED, "Whether the end of the change waits for a member that is away or has not adopted the layout, as the node sees it.",
				query("quorate_layout_blocked{@}", "{{node}} waits for {{member}}")),
			lines("Version of the layout", NUMBER, "That each member has adopted. They differ for seconds while a version is adopted; nothing for a node that is no member.",
				query("quorate_layout_version{@}", "{{node}}")),
			lines("Progress of gainers", SHARE, "Of what the node gains, the part that is copied, an estimate. 1 for a node that gains nothing.",
				query("quorate_move_progress_ratio{@}", "{{node}}")),
			lines("Moved", BYTES_A_SECOND, "Bytes of entries that the node receives of what it gains. Nothing while it compares what it has received with further replicas.",
				query(rate("quorate_move_bytes_total", "node"), "{{node}}"))),
		details("Requests to peers",
			lines("Latency by peer (p99)", SECONDS, "One request to a peer, to its answer or until it was given up. The peer that stands out is the slow one.",
				query("node_peer:quorate_internode_request_seconds:p99_1m{@}", "{{node}} to {{peer}}")).log(),
			lines("Requests by outcome", TIMES, "superseded: the peer held something newer. overloaded: it refused. failed: error, timeout or loss of the connection. cancelled: a read that others had answered before.",
				query(rate("quorate_internode_request_seconds_count", "peer, outcome"), "{{peer}} {{outcome}}")),
			lines("Held back", TIMES, "Not sent, because the bounds of the peer were reached or it was not connected.",
				query(rate("quorate_internode_refused_total", "peer, reason"), "{{peer}} {{reason}}"))),
		details("Copies",
			lines("Read repairs", TIMES, "waited: before the answer, because the quorum needed it. late: after it. left_out: there were too many at once.",
				query(rate("quorate_read_repair_total", "kind, outcome"), "{{kind}} {{outcome}}")),
			lines("Reads that asked another replica", TIMES, "Because one failed, or fell silent; or was slow (hedges, at most 5 % of the reads). won: the additional answer was used.",
				query(rate("quorate_reads_moved_on_total", "reason"), "{{reason}}"),
				query(rate("quorate_hedge_total", "won"), "hedge, won {{won}}"))),
		details("Clocks",
			lines("Offset from the median", SECONDS, "Of each node's clock from the median of the members.",
				query("quorate_clock_offset_seconds{@}", "{{node}}")),
			lines("Lead of the hybrid clock", SECONDS, "Over the node's own clock. Seconds mean that some other clock is ahead.",
				query("quorate_clock_ahead_seconds{@}", "{{node}}")))));
}

Dashboard repair() {
	String selected = "cluster=\"$cluster\",node=~\"$node\"";
	return new Dashboard("repair", "Repair", "How far replicas are apart, and how they find back together.", selected, List.of(
		row("Who repairs?",
			timeline("Rebuilding", FEARED, "Whether the node copies everything from its peers, and answers no reads.",
				query("quorate_rebuilding{@}", "{{node}}"))),
		row("How far apart?",
			lines("Until a write is on all replicas", SECONDS, "Median and p99 of what the nodes coordinate; those that a replica missed have no such time.",
				query(quantile(0.5, "quorate_coordinator_spread_seconds", "node"), "{{node}} p50"),
				query(quantile(0.99, "quorate_coordinator_spread_seconds", "node"), "{{node}} p99")).log(),
			lines("Age of the last comparison", SECONDS, "Since it began, of each pair of nodes; without one since the start of the process: since that. As a rule some quorate.repair.interval (1 m).",
				query("node_peer:quorate_repair_comparison_age_seconds:or_uptime{@}", "{{node}} and {{peer}}")).log()),
		details("Hints",
			lines("Hint backlog", NUMBER, "Writes that the peer has missed and that the node keeps for it. Falling while the peer is up.",
				query("quorate_hints_owed{@}", "{{node}} to {{peer}}")),
			lines("Hints dropped", TIMES, "queue, full: bounds. disk: no room. failed: not written. expired, fenced: too old. refused: never taken. damaged: could not be read. Comparisons bring what they would have brought.",
				query(rate("quorate_hints_dropped_total", "node, reason"), "{{node}} {{reason}}"))),
		details("Comparisons",
			lines("Comparisons", TIMES, "interrupted: to go on later, because the peer was away, busy or rebuilding.",
				query(rate("quorate_repair_comparisons_total", "node, peer, outcome"), "{{node}} with {{peer}} {{outcome}}")),
			lines("Entries brought by comparisons", TIMES, "What neither hints nor reads have brought before: none when all is well.",
				query(rate("quorate_repair_entries_total", "node, peer, direction"), "{{node}} {{direction}} {{peer}}"))),
		details("Rebuilds and purges",
			lines("Entries copied by rebuilds", TIMES, "And merged back of what was set aside.",
				query("sum by (node) (rate(quorate_rebuild_copied{@}[~]))", "{{node}}")),
			lines("Purges withheld", SECONDS, "How far beyond the grace period deletions are kept because the peer has not agreed.",
				query("max by (peer, reason) (quorate_purge_withheld_seconds{@})", "{{peer}} {{reason}}")))));
}

Dashboard storage() {
	String selected = "cluster=\"$cluster\",node=~\"$node\"";
	return new Dashboard("storage", "Storage", "The stores: log, memtables, tables, reads, the disk.", selected, List.of(
		row("Log",
			lines("Fsync of the log", SECONDS, "Median and p99 of an fsync. With sync=always every write waits for one.",
				query("node:quorate_storage_wal_force_seconds:p50_1m{@}", "{{node}} p50"),
				query("node:quorate_storage_wal_force_seconds:p99_1m{@}", "{{node}} p99")).log(),
			lines("Bytes into the log", BYTES_A_SECOND, "What clients and repairs write, in small values.",
				query(rate("quorate_storage_wal_bytes_total", "node"), "{{node}}")),
			lines("Writes refused by the store", TIMES, "queue: the log's; memtables, tables: flushes or compactions are behind; slowed: so is the log; disk: free space; failed: the log.",
				query(rate("quorate_storage_write_refused_total", "node, reason"), "{{node}} {{reason}}")),
			lines("Pressure on writes", SHARE, "From nothing, where the log begins to be slowed down, to the bound at which writes are refused.",
				query("quorate_storage_write_pressure{@}", "{{node}}"))),
		details("Memtables, tables and compactions",
			lines("Memtables that wait", NUMBER, "For their flush; with two writes are refused.",
				query("quorate_storage_memtables_waiting{@}", "{{node}}")),
			lines("Flushes and compactions", TIMES, "By outcome. A flush that failed is tried again; a compaction that failed keeps its inputs.",
				query(rate("quorate_storage_flush_seconds_count", "node, outcome"), "{{node}} flush {{outcome}}"),
				query(rate("quorate_storage_compaction_seconds_count", "node, outcome"), "{{node}} compaction {{outcome}}")),
			lines("Bytes by level", BYTES, "Most are in the last level.",
				query("sum by (node, level) (quorate_storage_table_bytes{@})", "{{node}} L{{level}}")),
			lines("Debt of compactions", BYTES, "Bytes that those which are due would read. Rising for long: more is written than compacted.",
				query("quorate_storage_compaction_debt_bytes{@}", "{{node}}")),
			lines("Bytes of compactions", BYTES_A_SECOND, "Read and written.",
				query(rate("quorate_storage_compacted_bytes_total", "node, direction"), "{{node}} {{direction}}")),
			lines("Value files", BYTES, "Values that are kept apart: live, and garbage that compactions give back.",
				query("sum by (node, state) (quorate_storage_values_bytes{@})", "{{node}} {{state}}"))),
		details("Reads",
			lines("Reads by source", TIMES, "memory: answered from memtables and filters. table: with a hop to a reader.",
				query(rate("quorate_storage_read_seconds_count", "node, source"), "{{node}} {{source}}")),
			lines("Latency by source (p99)", SECONDS, "Of a read of the store.",
				query("node_source:quorate_storage_read_seconds:p99_1m{@}", "{{node}} {{source}}")).log(),
			lines("Tables probed by a read", NUMBER, "Read amplification, of the reads that came to tables at all: p99.",
				query("node:quorate_storage_read_tables:p99_5m{@}", "{{node}}")),
			lines("Found in caches", SHARE, "Of the keys looked up in tables, those whose place was known (quorate.storage.key-cache); of the compressed blocks read, those found decompressed.",
				query("sum by (node) (rate(quorate_storage_cache_total{@,of=\"keys\",outcome=\"hit\"}[~])) / sum by (node) (rate(quorate_storage_cache_total{@,of=\"keys\"}[~]))", "{{node}} keys"),
				query("sum by (node) (rate(quorate_storage_cache_total{@,of=\"blocks\",outcome=\"hit\"}[~])) / sum by (node) (rate(quorate_storage_cache_total{@,of=\"blocks\"}[~]))", "{{node}} blocks")),
			lines("Wait for a reader (p99)", SECONDS, "Above some milliseconds all readers are busy.",
				query("node:quorate_storage_read_wait_seconds:p99_1m{@}", "{{node}}")).log()),
		row("Disk",
			lines("Free space", BYTES, "And the bound below which writes are refused.",
				query("quorate_storage_disk_free_bytes{@}", "{{node}} free"),
				query("quorate_storage_disk_threshold_bytes{@}", "{{node}} bound")),
			timeline("Compactions that find no room", FEARED, "Whether one is due that fits on the disk in no way.",
				query("quorate_storage_compaction_waiting{@}", "{{node}}")),
			lines("Age of the newest backup", SECONDS, "Since it was taken; none without a backup. Above 36 hours it calls.",
				query("quorate_backup_age_seconds{@}", "{{node}}"))),
		details("Scrub",
			lines("Quarantined tables", NUMBER, "Damaged: reads of keys that they may hold fail until the node is rebuilt.",
				query("quorate_storage_quarantined{@}", "{{node}}")),
			lines("Age of the last scrub", SECONDS, "And the interval after which everything is read again.",
				query("quorate_storage_scrub_age_seconds{@}", "{{node}}"),
				query("quorate_storage_scrub_interval_seconds{@}", "{{node}} interval")))));
}

/* All meters of a node have the same labels, so that 'or' takes the first that is true. */
Panel nodes() {
	return timeline("State of nodes",
			List.of(new State(0, "down", "red"), new State(1, "needs a restart", "dark-red"), new State(2, "rebuilding", "blue"),
					new State(3, "not ready", "orange"), new State(4, "ready", "green")),
			"down: Prometheus gets no meters from it. Needs a restart: its log has failed. Rebuilding: it copies everything from its peers. Ready: it serves clients.",
			query("min by (node) ((up{job=\"quorate\",@} == 0) or (quorate_live{@} == 0) + 1 or (quorate_rebuilding{@} == 1) + 1 or quorate_ready{@} + 3)",
					"{{node}}"));
}

/* Between two states, for an instant, a member may be in none of them. */
Panel members(String description, String by, String legend) {
	return timeline("Members as their peers see them",
			List.of(new State(1, "up", "green"), new State(2, "draining", "blue"), new State(3, "suspect", "yellow"),
					new State(4, "disconnected", "red"), new State(5, "refused", "dark-red")),
			"draining: about to stop, asked last. suspect: silent with work outstanding, asked last. disconnected: not asked. "
					+ description,
			query("max by (" + by + ") (" + member("up") + " or 2 * " + member("draining") + " or 3 * " + member("suspect")
					+ " or 4 * " + member("disconnected")
					+ " or 5 * label_join(quorate_internode_mismatch{@}, \"member\", \"\", \"peer\")) > 0", legend));
}

String member(String state) {
	return "quorate_internode_member{@,state=\"" + state + "\"}";
}

Panel change() {
	return timeline("Change of members",
			List.of(new State(0, "none", "green"), new State(1, "under way", "blue"), new State(2, "copies", "purple")),
			"As each node knows it. copies: the node does not have all yet of what it gains. Replication has its progress, and who holds it up.",
			query("max by (node) ((quorate_move_progress_ratio{@} < 1) * 0 + 2 or quorate_layout_joint{@})", "{{node}}"));
}

/* Labels differ from alert to alert: those that say where are made one. */
Panel firing() {
	return timeline("Alerts that fire",
			List.of(new State(0, "none", "green"), new State(1, "pending", "yellow"), new State(2, "ticket", "orange"), new State(3, "page", "red")),
			"With the node, or both nodes. pending: fires if it stays. The handbook (src/docs/watching.md) has for each what it means and what to do.",
			query("max by (alertname, where) (label_join(" + alerts("alertstate=\"pending\"") + " or 2 * "
					+ alerts("alertstate=\"firing\",severity=\"ticket\"") + " or 3 * " + alerts("alertstate=\"firing\",severity=\"page\"")
					+ ", \"where\", \" \", \"node\", \"peer\")) or on() label_replace(vector(0), \"alertname\", \"No alert\", \"\", \"\")",
					"{{alertname}} {{where}}"));
}

/* Where Prometheus finds nodes by itself, what it measures of them has no cluster. */
String alerts(String selected) {
	return "ALERTS{alertname=~\"Quorate.*\",cluster=~\"$cluster|\"," + selected + "}";
}

Stream<Query> burn(String what) {
	return Stream.of("5m", "1h", "6h", "3d")
		.map((window) -> query("cluster:quorate_request_" + what + ":ratio_rate" + window + "{@} / scalar(quorate:objective_budget:ratio)", what + " " + window));
}

Panel percentiles(String operation, String title, String description) {
	return lines(title, SECONDS, description,
			Stream.of("50", "90", "99", "999")
				.map((number) -> query("cluster_operation:quorate_request_seconds:p" + number + "_1m{@,operation=\""
						+ operation + "\"}", "p" + number.replace("999", "99.9")))
				.toArray(Query[]::new))
		.log();
}

String rate(String counter, String by) {
	return "sum by (" + by + ") (rate(" + counter + "{@}[~]))";
}

String quantile(double quantile, String histogram, String by) {
	return "histogram_quantile(" + quantile + ", sum by (" + by + ", le) (rate(" + histogram + "_bucket{@}[~])))";
}

Query query(String expression, String legend) {
	return new Query(expression, legend);
}

Panel lines(String title, String unit, String description, Query... queries) {
	return new Panel("timeseries", title, unit, description, List.of(queries), 8, 8);
}

Panel heat(String title, String unit, String description, Query query) {
	return new Panel("heatmap", title, unit, description, List.of(query), 8, 8);
}

Panel stat(String title, String unit, String description, Query... queries) {
	return new Panel("stat", title, unit, description, List.of(queries), 6, 4);
}

Panel timeline(String title, List<State> states, String description, Query... queries) {
	return new Panel("state-timeline", title, STATE, description, List.of(queries), 12, 8).of(states);
}

Row row(String title, Panel... panels) {
	return new Row(title, false, List.of(panels));
}

Row details(String title, Panel... panels) {
	return new Row(title, true, List.of(panels));
}

record Query(String expression, String legend) {

}

record Row(String title, boolean isClosed, List<Panel> panels) {

}

/* What a value of a query means, and its colour. */
record State(int value, String text, String color) {

}

static final class Panel {

	private static final int WIDTH = 24;

	private final String type;

	private final String title;

	private final String unit;

	private final String description;

	private final List<Query> queries;

	private final int height;

	private int width;

	private boolean isLog;

	private List<State> states = List.of();

	private List<Map<String, Object>> thresholds = List.of(Json.object("color", "text", "value", null));

	Panel(String type, String title, String unit, String description, List<Query> queries, int width, int height) {
		this.type = type;
		this.title = title;
		this.unit = unit;
		this.description = description;
		this.queries = queries;
		this.width = width;
		this.height = height;
	}

	Panel log() {
		this.isLog = true;
		return this;
	}

	Panel wide() {
		this.width = WIDTH;
		return this;
	}

	Panel of(List<State> states) {
		this.states = states;
		return this;
	}

	Panel worseAbove(double bound) {
		return between("green", "red", bound);
	}

	Panel worseBelow(double bound) {
		return between("red", "green", bound);
	}

	private Panel between(String below, String above, double bound) {
		this.thresholds = List.of(Json.object("color", below, "value", null), Json.object("color", above, "value", bound));
		return this;
	}

	Map<String, Object> model(int id, int x, int y, String selected) {
		Map<String, Object> model = Json.object("id", id, "type", this.type, "title", this.title, "description",
				this.description, "datasource", Dashboard.SOURCE, "gridPos",
				Json.object("h", this.height, "w", this.width, "x", x, "y", y));
		List<Object> targets = new ArrayList<>();
		for (Query query : this.queries) {
			targets.add(Json.object("refId", String.valueOf((char) ('A' + targets.size())), "datasource", Dashboard.SOURCE,
					"expr", query.expression().replace("@", selected).replace("[~]", "[$__rate_interval]"), "legendFormat",
					this.type.equals("heatmap") ? "{{le}}" : query.legend().isEmpty() ? "__auto" : query.legend(), "format",
					this.type.equals("heatmap") ? "heatmap" : "time_series", "instant", this.type.equals("stat"), "range",
					!this.type.equals("stat")));
		}
		model.put("targets", targets);
		switch (this.type) {
			case "timeseries" -> lines(model);
			case "heatmap" -> heat(model);
			case "state-timeline" -> timeline(model);
			default -> stat(model);
		}
		return model;
	}

	private void lines(Map<String, Object> model) {
		Map<String, Object> defaults = Json.object("unit", this.unit, "color", Json.object("mode", "palette-classic"),
				"custom",
				Json.object("drawStyle", "line", "lineWidth", 1, "fillOpacity", this.isLog ? 0 : 10, "showPoints", "never",
						"spanNulls", false, "scaleDistribution",
						this.isLog ? Json.object("type", "log", "log", 10) : Json.object("type", "linear")));
		if (this.unit.equals(SHARE)) {
			defaults.put("min", 0);
		}
		model.put("fieldConfig", Json.object("defaults", defaults, "overrides", List.of()));
		model.put("options", Json.object("legend",
				Json.object("displayMode", "list", "placement", "bottom", "showLegend", true, "calcs", List.of()), "tooltip",
				Json.object("mode", "multi", "sort", "desc")));
	}

	private void heat(Map<String, Object> model) {
		model.put("fieldConfig", Json.object("defaults", Json.object("unit", "ops"), "overrides", List.of()));
		model.put("options",
				Json.object("calculate", false, "color",
						Json.object("mode", "scheme", "scheme", "Viridis", "fill", "dark-orange", "scale", "exponential",
								"exponent", 0.5, "steps", 64, "reverse", false),
						"showValue", "auto", "exemplars", Json.object("color", "rgba(255,0,255,0.7)"), "cellGap", 0, "filterValues", Json.object("le", 1e-9), "rowsFrame", Json.object("layout", "auto"),
						"yAxis", Json.object("unit", this.unit, "axisPlacement", "left", "reverse", false), "legend",
						Json.object("show", true), "tooltip", Json.object("mode", "single", "yHistogram", true)));
	}

	private void timeline(Map<String, Object> model) {
		Map<String, Object> texts = Json.object();
		for (State state : this.states) {
			texts.put(String.valueOf(state.value()),
					Json.object("text", state.text(), "color", state.color(), "index", texts.size()));
		}
		model.put("fieldConfig",
				Json.object("defaults",
						Json.object("unit", this.unit, "color", Json.object("mode", "thresholds"), "thresholds",
								Json.object("mode", "absolute", "steps", this.thresholds), "mappings",
								List.of(Json.object("type", "value", "options", texts)), "custom",
								Json.object("lineWidth", 0, "fillOpacity", 70, "spanNulls", false, "insertNulls", false)),
						"overrides", List.of()));
		model.put("options",
				Json.object("showValue", "auto", "rowHeight", 0.9, "mergeValues", true, "alignValue", "left", "legend",
						Json.object("displayMode", "list", "placement", "bottom", "showLegend", true, "calcs", List.of()),
						"tooltip", Json.object("mode", "single", "sort", "none")));
	}

	private void stat(Map<String, Object> model) {
		model.put("fieldConfig",
				Json.object("defaults",
						Json.object("unit", this.unit, "color", Json.object("mode", "thresholds"), "thresholds",
								Json.object("mode", "absolute", "steps", this.thresholds)),
						"overrides", List.of()));
		model.put("options",
				Json.object("reduceOptions", Json.object("calcs", List.of("lastNotNull"), "fields", "", "values", false),
						"colorMode", "value", "graphMode", "none", "textMode", "auto", "justifyMode", "auto", "orientation",
						"auto", "wideLayout", true, "showPercentChange", false, "percentChangeColorMode", "standard"));
	}

}

record Dashboard(String name, String title, String description, String selected, List<Row> rows) {

	static final Map<String, Object> SOURCE = Json.object("type", "prometheus", "uid", "${source}");

	Map<String, Object> model() {
		List<Object> panels = new ArrayList<>();
		int id = 1;
		int y = 0;
		for (Row row : this.rows) {
			// Those of a closed row lie in it, where they will be when it alone is opened.
			List<Object> inner = new ArrayList<>();
			panels.add(Json.object("id", id++, "type", "row", "title", row.title(), "collapsed", row.isClosed(), "panels", inner,
					"gridPos", Json.object("h", 1, "w", Panel.WIDTH, "x", 0, "y", y++)));
			List<Object> place = row.isClosed() ? inner : panels;
			int below = y;
			int x = 0;
			int height = 0;
			for (Panel panel : row.panels()) {
				if (x + panel.width > Panel.WIDTH) {
					x = 0;
					y += height;
					height = 0;
				}
				place.add(panel.model(id++, x, y, this.selected));
				x += panel.width;
				height = Math.max(height, panel.height);
			}
			y = row.isClosed() ? below : y + height;
		}
		return Json.object("uid", "quorate-" + this.name, "title", "Quorate / " + this.title, "description",
				this.description, "tags", List.of("quorate"), "schemaVersion", 39, "version", 1, "editable", true,
				"timezone", "utc", "refresh", "10s", "graphTooltip", 1, "time",
				Json.object("from", "now-30m", "to", "now"), "links",
				List.of(Json.object("type", "dashboards", "title", "Quorate", "icon", "external link", "tooltip", "", "tags",
						List.of("quorate"), "asDropdown", false, "targetBlank", false, "includeVars", true, "keepTime", true)),
				"annotations", Json.object("list", List.of(restarts())), "templating",
				Json.object("list", variables()), "panels", panels);
	}

	private Map<String, Object> restarts() {
		return Json.object("name", "Starts of nodes", "enable", true, "iconColor", "blue", "datasource", SOURCE, "expr",
				"changes(process_start_time_seconds{job=\"quorate\"," + this.selected + "}[1m]) > 0", "titleFormat",
				"{{node}} has started");
	}

	private List<Object> variables() {
		List<Object> variables = new ArrayList<>();
		variables.add(Json.object("name", "source", "label", "Prometheus", "type", "datasource", "query", "prometheus"));
		variables.add(variable("cluster", "Cluster", "label_values(quorate_ready, cluster)", false));
		if (this.selected.contains("$node")) {
			variables.add(variable("node", "Node", "label_values(quorate_ready{cluster=\"$cluster\"}, node)", true));
		}
		return variables;
	}

	private static Map<String, Object> variable(String name, String label, String query, boolean isMulti) {
		Map<String, Object> variable = Json.object("name", name, "label", label, "type", "query", "datasource", SOURCE,
				"definition", query, "query", Json.object("query", query, "refId", "variable"), "refresh", 2, "sort", 1,
				"multi", isMulti, "includeAll", isMulti);
		if (isMulti) {
			variable.put("current", Json.object("text", List.of("All"), "value", List.of("$__all")));
		}
		return variable;
	}

}

/* The part of JSON that is needed here: of these texts only quotes and backslashes need an escape. */
static final class Json {

	static Map<String, Object> object(Object... namesAndValues) {
		Map<String, Object> object = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			object.put((String) namesAndValues[i], namesAndValues[i + 1]);
		}
		return object;
	}

	static String of(Object value) {
		StringBuilder text = new StringBuilder();
		append(text, value, "\n");
		return text.toString();
	}

	private static void append(StringBuilder text, Object value, String newLine) {
		switch (value) {
			case null -> text.append("null");
			case String string -> text.append('"').append(string.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
			case Map<?, ?> map -> {
				text.append('{');
				String separator = newLine + "  ";
				for (Map.Entry<?, ?> entry : map.entrySet()) {
					text.append(separator);
					append(text, entry.getKey(), newLine);
					text.append(": ");
					append(text, entry.getValue(), newLine + "  ");
					separator = "," + newLine + "  ";
				}
				text.append(map.isEmpty() ? "}" : newLine + "}");
			}
			case List<?> list -> {
				text.append('[');
				String separator = newLine + "  ";
				for (Object element : list) {
					text.append(separator);
					append(text, element, newLine + "  ");
					separator = "," + newLine + "  ";
				}
				text.append(list.isEmpty() ? "]" : newLine + "]");
			}
			default -> text.append(value);
		}
	}

}
