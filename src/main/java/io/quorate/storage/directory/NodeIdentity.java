package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;

import io.quorate.entry.Partitions;
import io.quorate.storage.FormatLevel;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.manifest.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a directory's data, recorded in the file {@code NODE}. The file is written
 * when the directory is new, and when its format level rises. Data that was distributed
 * by one list of members is not served with another list.
 *
 * @param storageId random identity of this directory's data, so that peers notice its
 * loss
 * @param formatLevel level of the formats in which the directory's files are written
 * @param isRestored whether the directory has this storage id since it was restored
 * together with those of all other members, whose present directories are not all named
 * yet
 */
public record NodeIdentity(UUID storageId, int formatLevel, boolean isRestored) {

	/** Name of the file in the store's directory. */
	public static final String FILE_NAME = "NODE";

	/** Name of the file that exists while a snapshot is restored. */
	public static final String RESTORING_FILE_NAME = "RESTORING";

	private static final int FORMAT_VERSION = 1;

	private static final String HASH = "xxh64";

	private static final String NODE = "node";

	private static final String STORAGE_ID = "storage-id";

	private static final String FORMAT = "format";

	private static final String FORMAT_LEVEL = "format-level";

	private static final String RESTORED = "restored";

	private static final String WHOLE_CLUSTER = "whole-cluster";

	private static final String MEMBER = "member.";

	private static final String CHECKSUM = "crc32c=";

	private static final String REMEDY = " Restore the whole directory from a backup, or move it away and rebuild the"
			+ " node from its replicas. Nothing was changed.";

	/**
	 * The identity that the configuration requires.
	 *
	 * @param node id of this node
	 * @param cluster name of the cluster
	 * @param zones zone of each member of the configuration by its id, this node included
	 * unless it is a candidate; empty for none
	 * @param replicationFactor number of replicas of a key at most
	 */
	record Expected(String node, String cluster, Map<String, String> zones, int replicationFactor) {

		public Expected {
			zones = Collections.unmodifiableMap(new TreeMap<>(zones));
			requirePlain(node);
			requirePlain(cluster);
			zones.forEach((id, zone) -> requirePlain(id + zone));
		}

		private static void requirePlain(String name) {
			if (name.chars().anyMatch((character) -> character < ' ' || character == '=')) {
				throw new IllegalArgumentException("'%s' has a control character or an equals sign".formatted(name));
			}
		}

	}

	/**
	 * Reads the identity of a directory and compares it with the configuration, or gives
	 * a new directory one.
	 * @throws StorageStartException when identity and configuration differ, or the file
	 * is damaged, missing beside data, of a newer format, or cannot be read or written
	 */
	static NodeIdentity openOrCreate(Path directory, Expected expected) {
		Path file = directory.resolve(FILE_NAME);
		try {
			DirectoryEntries.deleteIfExists(directory.resolve(FILE_NAME + DurableFiles.TEMPORARY_SUFFIX));
			if (!Files.exists(file)) {
				return create(directory, file, expected);
			}
			Map<String, String> recorded = parse(file, Files.readAllBytes(file));
			requireSame(file, recorded, expected);
			return of(file, recorded);
		}
		catch (IOException ex) {
			throw new StorageStartException("%s cannot be read or written: %s".formatted(file, ex), ex);
		}
		catch (IllegalArgumentException ex) {
			throw damaged(file, "its storage id is none", ex);
		}
	}

	private static NodeIdentity create(Path directory, Path file, Expected expected) throws IOException {
		if (Files.exists(directory.resolve(Manifest.FILE_NAME))) {
			throw new StorageStartException(
					"%s is missing beside data: it is not known whose data that is.".formatted(file) + REMEDY, null);
		}
		StoreDirectory.markNew(directory);
		NodeIdentity identity = new NodeIdentity(UUID.randomUUID(), FormatLevel.UNDECIDED, false);
		write(file, at(identity.formatLevel(), fields(expected)), identity.storageId());
		return identity;
	}

	private static NodeIdentity of(Path file, Map<String, String> recorded) {
		return new NodeIdentity(UUID.fromString(recorded.getOrDefault(STORAGE_ID, "")), formatLevel(file, recorded),
				WHOLE_CLUSTER.equals(recorded.get(RESTORED)));
	}

	private static int formatLevel(Path file, Map<String, String> recorded) {
		String level = recorded.getOrDefault(FORMAT_LEVEL, "");
		if (!level.matches("\\d{1,3}")) {
			throw damaged(file, "'%s' is no format level".formatted(level), null);
		}
		if (Integer.parseInt(level) > FormatLevel.NEWEST) {
			throw new StorageStartException("%s: the directory has format level %s, this program supports %d"
				.formatted(file, level, FormatLevel.NEWEST), null);
		}
		return Integer.parseInt(level);
	}

	private static Map<String, String> at(int formatLevel, Map<String, String> fields) {
		fields.put(FORMAT, Integer.toString(FORMAT_VERSION));
		fields.put(FORMAT_LEVEL, Integer.toString(formatLevel));
		return fields;
	}

	/** Raises the format level of a directory. */
	static NodeIdentity raise(Path directory, int formatLevel) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		Map<String, String> fields = parse(file, Files.readAllBytes(file));
		NodeIdentity before = of(file, fields);
		fields.remove(STORAGE_ID);
		write(file, at(formatLevel, fields), before.storageId());
		return new NodeIdentity(before.storageId(), formatLevel, before.isRestored());
	}

	/** Has a directory be no restored one any more, with its storage id. */
	static NodeIdentity namedAnew(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		NodeIdentity before = of(file, parse(file, Files.readAllBytes(file)));
		write(file, unnamed(file), before.storageId());
		return new NodeIdentity(before.storageId(), before.formatLevel(), false);
	}

	/**
	 * Gives a directory, which has all other files, a recorded owner with a new storage
	 * id. Peers that know the earlier data notice the change; whether there are such
	 * peers is known only after contact with a majority.
	 * @param recorded the file with the recorded owner
	 * @param isWholeCluster whether the directories of all other members are restored,
	 * too
	 * @throws StorageStartException when that file is damaged
	 */
	public static void renew(Path recorded, Path directory, boolean isWholeCluster) throws IOException {
		Map<String, String> fields = unnamed(recorded);
		if (isWholeCluster) {
			fields.put(RESTORED, WHOLE_CLUSTER);
		}
		StoreDirectory.markNew(directory);
		write(directory.resolve(FILE_NAME), fields, UUID.randomUUID());
	}

	/**
	 * Gives the data of a directory another identity, so that peers notice that some of
	 * it is lost.
	 */
	static NodeIdentity renew(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		Map<String, String> fields = unnamed(file);
		UUID storageId = UUID.randomUUID();
		write(file, fields, storageId);
		return new NodeIdentity(storageId, formatLevel(file, fields), false);
	}

	private static Map<String, String> unnamed(Path file) throws IOException {
		Map<String, String> fields = parse(file, Files.readAllBytes(file));
		fields.remove(STORAGE_ID);
		fields.remove(RESTORED);
		return fields;
	}

	/**
	 * The node whose data a directory has.
	 * @throws StorageStartException when the file is damaged
	 * @throws IOException when it cannot be read
	 */
	public static String ownerOf(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		return parse(file, Files.readAllBytes(file)).getOrDefault(NODE, "");
	}

	/**
	 * Reads the identity of a directory, of which the configuration is not known.
	 * @throws StorageStartException when the file is damaged, or of a newer format
	 * @throws IOException when it cannot be read
	 */
	public static Recorded recorded(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		Map<String, String> fields = parse(file, Files.readAllBytes(file));
		requireReadable(file, fields.getOrDefault(FORMAT, ""));
		try {
			NodeIdentity identity = of(file, fields);
			String node = fields.getOrDefault(NODE, "");
			List.of(NODE, STORAGE_ID, RESTORED, FORMAT, FORMAT_LEVEL).forEach(fields::remove);
			return new Recorded(node, identity, fields);
		}
		catch (IllegalArgumentException wrong) {
			throw damaged(file, "its storage id is none", wrong);
		}
	}

	/**
	 * The owner of a directory as it is recorded.
	 *
	 * @param node id of the node
	 * @param cluster configuration that all nodes of its cluster have alike
	 */
	public record Recorded(String node, NodeIdentity identity, Map<String, String> cluster) {

		public Recorded {
			cluster = Map.copyOf(cluster);
		}

	}

	private static void write(Path file, Map<String, String> fields, UUID storageId) throws IOException {
		StringBuilder text = new StringBuilder("# Whose data this is. Not to be edited: the last line guards it.\n");
		fields.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
		text.append(STORAGE_ID).append('=').append(storageId).append('\n');
		String checksum = checksum(text.toString().getBytes(StandardCharsets.UTF_8));
		text.append(CHECKSUM).append(checksum).append('\n');
		DurableFiles.replace(file, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
	}

	private static Map<String, String> fields(Expected expected) {
		Map<String, String> fields = new TreeMap<>();
		fields.put(NODE, expected.node());
		fields.put("cluster", expected.cluster());
		expected.zones().forEach((id, zone) -> fields.put(MEMBER + id, zone));
		fields.put("replication-factor", Integer.toString(expected.replicationFactor()));
		fields.put("partitions", Integer.toString(Partitions.COUNT));
		fields.put("hash", HASH);
		return fields;
	}

	private static Map<String, String> parse(Path file, byte[] bytes) {
		String text = new String(bytes, StandardCharsets.UTF_8);
		int end = text.lastIndexOf(CHECKSUM);
		String guarded = text.substring(0, Math.max(0, end));
		if (!text.equals(guarded + CHECKSUM + checksum(guarded.getBytes(StandardCharsets.UTF_8)) + "\n")) {
			throw damaged(file, "its checksum is missing or wrong", null);
		}
		Map<String, String> fields = new TreeMap<>();
		guarded.lines().filter((line) -> !line.startsWith("#")).forEach((line) -> {
			String[] pair = line.split("=", 2);
			fields.put(pair[0], (pair.length > 1) ? pair[1] : "");
		});
		return fields;
	}

	private static void requireReadable(Path file, String version) {
		if (!version.matches("\\d{1,9}")) {
			throw damaged(file, "'%s' is no version of its format".formatted(version), null);
		}
		if (Long.parseLong(version) != FORMAT_VERSION) {
			throw StorageStartException.otherFormat(file, Long.parseLong(version), FORMAT_VERSION);
		}
	}

	private static void requireSame(Path file, Map<String, String> recorded, Expected expected) {
		Map<String, String> configured = fields(expected);
		requireReadable(file, recorded.getOrDefault(FORMAT, ""));
		requireSame(file, NODE, recorded, configured,
				"Set quorate.node.id to what it was, or quorate.storage.directory to the directory of this node.");
		requireSame(file, "cluster", recorded, configured,
				"Set quorate.cluster.name to what it was, or quorate.storage.directory to the directory of this cluster.");
		String recordedMembers = members(recorded);
		String configuredMembers = members(configured);
		if (!recordedMembers.equals(configuredMembers)) {
			throw differs(file, "members", recordedMembers, configuredMembers,
					"Set quorate.cluster.members to the ids and zones that they had (addresses may change). Members are"
							+ " added and removed while the cluster serves: POST /actuator/cluster/add and remove.");
		}
		requireSame(file, "replication-factor", recorded, configured,
				"Set quorate.cluster.replication-factor to what it was at the first start. It is changed while the cluster"
						+ " serves: POST /actuator/cluster/replication.");
		requireSame(file, "partitions", recorded, configured, "Start the program that wrote it.");
		requireSame(file, "hash", recorded, configured, "Start the program that wrote it.");
	}

	private static void requireSame(Path file, String name, Map<String, String> recorded,
			Map<String, String> configured, String remedy) {
		String found = recorded.getOrDefault(name, "");
		String wanted = configured.getOrDefault(name, "");
		if (!found.equals(wanted)) {
			throw differs(file, name, found, wanted, remedy);
		}
	}

	private static String members(Map<String, String> fields) {
		StringBuilder members = new StringBuilder();
		fields.forEach((name, zone) -> {
			if (name.startsWith(MEMBER)) {
				members.append(members.isEmpty() ? "" : ",").append(name.substring(MEMBER.length()));
				members.append(zone.isEmpty() ? "" : "/").append(zone);
			}
		});
		return members.toString();
	}

	private static String checksum(byte[] bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return HexFormat.of().toHexDigits((int) crc.getValue());
	}

	private static StorageStartException differs(Path file, String name, String found, String wanted, String remedy) {
		return new StorageStartException(
				"%s: %s is '%s' on disk and '%s' by configuration. %s".formatted(file, name, found, wanted, remedy),
				null);
	}

	private static StorageStartException damaged(Path file, String detail, @Nullable Exception cause) {
		return new StorageStartException(
				"%s is damaged: %s. It is not known whose data this is.".formatted(file, detail) + REMEDY, cause);
	}

}
