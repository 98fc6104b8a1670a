package io.quorate.ring;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import io.quorate.entry.Hash64;
import io.quorate.entry.Key;
import io.quorate.storage.StoreOwner;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of the refusals and promises of the ring, and the scenarios of the file beside
 * them: {@code ring} makes one of the members below, {@code keys} and {@code partitions}
 * print the members that hold them. With {@code -Dgolden.rewrite} the answers in the file
 * are replaced by those given: every cluster that has data then loses track of it.
 */
class RingTests {

	private static final Path SCENARIOS = Path.of("src/test/resources/io/quorate/ring/layout.txt");

	private static final String SEPARATOR = "----";

	private static final List<Member> THREE = members("n1", "n2", "n3");

	private Ring ring = Ring.of(THREE, 3);

	@Test
	void layoutIsAsWritten() throws IOException {
		String written = Files.readString(SCENARIOS);
		String answered = Stream.of(written.split("\n\n", -1)).map(this::answer).collect(Collectors.joining("\n\n"));
		if (System.getProperty("golden.rewrite") != null) {
			Files.writeString(SCENARIOS, answered);
		}
		else {
			assertThat(answered).isEqualTo(written);
		}
	}

	@Test
	void orderInWhichMembersAreGivenDoesNotMatter() {
		Ring reversed = Ring.of(members("n3/b", "n2/a", "n1/a"), 2);
		Ring sorted = Ring.of(members("n1/a", "n2/a", "n3/b"), 2);
		assertThat(reversed.epoch()).isEqualTo(sorted.epoch());
		assertThat(reversed.members()).isEqualTo(sorted.members());
		assertThat(lists(reversed)).isEqualTo(lists(sorted));
	}

	@Test
	void epochDependsOnIdsAndZonesAndReplicationFactor() {
		assertThat(Stream.of(Ring.of(THREE, 3), Ring.of(THREE, 2), Ring.of(members("n1", "n2"), 2),
				Ring.of(members("n1", "n2", "n4"), 3), Ring.of(members("n1/a", "n2/a", "n3/a"), 3),
				Ring.of(members("n1/a", "n2/a", "n3/b"), 3), Ring.of(members("n1/a", "n2/b", "n3/a"), 3)))
			.extracting(Ring::epoch)
			.doesNotHaveDuplicates();
	}

	@Test
	void replicationFactorDoesNotChangePreferenceLists() {
		assertThat(lists(Ring.of(THREE, 1))).isEqualTo(lists(Ring.of(THREE, 3)));
	}

	@Test
	void oneZoneForAllIsNoZone() {
		assertThat(ids(Ring.of(members("n1/a", "n2/a", "n3/a"), 3))).isEqualTo(ids(Ring.of(THREE, 3)));
	}

	@Test
	void everyListHasEveryMemberOnce() {
		Ring ten = Ring.of(RandomMembers.inZones(7, 10, 3), 3);
		assertThat(lists(ten)).hasSize(Ring.PARTITIONS)
			.allSatisfy((list) -> assertThat(list).containsExactlyInAnyOrderElementsOf(ten.members()));
	}

	@Test
	void keyHasTheListOfItsPartition() {
		for (int i = 0; i < 1000; i++) {
			Key key = Key.of("key-" + i);
			int partition = this.ring.partitionOf(key);
			assertThat(partition).isEqualTo((int) Long.divideUnsigned(key.hash64(), 1L << 50));
			assertThat(this.ring.preferenceList(key)).isEqualTo(this.ring.preferenceList(partition));
			assertThat(this.ring.members().get(this.ring.memberIndex(partition, 1)))
				.isEqualTo(this.ring.preferenceList(key).get(1));
		}
	}

	@Test
	void zonesTakeTurns() {
		Ring zoned = Ring.of(members("n1/a", "n2/a", "n3/a", "n4/b", "n5/b", "n6/c"), 6);
		assertThat(lists(zoned)).allSatisfy((list) -> {
			assertThat(list.subList(0, 3)).extracting(Member::zone).containsExactlyInAnyOrder("a", "b", "c");
			assertThat(list.subList(3, 5)).extracting(Member::zone).containsExactlyInAnyOrder("a", "b");
			assertThat(list.get(5).zone()).isEqualTo("a");
		});
	}

	@Test
	void listsCannotBeChangedOrReadBeyondTheirEnd() {
		List<Member> list = this.ring.preferenceList(0);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> list.set(0, list.get(1)));
		assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> list.get(3));
		assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> list.get(-1));
	}

	@Test
	void lookUpsAllocateNothing() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		Key key = Key.of("key");
		int rounds = 100_000;
		long found = lookUp(key, rounds);
		long before = threads.getCurrentThreadAllocatedBytes();
		found += lookUp(key, rounds);
		long allocated = threads.getCurrentThreadAllocatedBytes() - before;
		assertThat(found).isPositive();
		assertThat(allocated).isLessThan(rounds);
	}

	@Test
	void membersOfOneIdAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(members("n1/a", "n2/a", "n1/b"), 2))
			.withMessage("two members have the id 'n1': n1/a and n1/b");
	}

	@Test
	void membersOfOneOrdinalAreRefused() {
		Member one = Member.of("node-118607");
		Member other = Member.of("node-182067");
		assertThat(one.ordinal()).isEqualTo(other.ordinal());
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(List.of(other, Member.of("n1"), one), 2))
			.withMessage(("the ids of the members %s and %s have the same 32-bit hash %08x,"
					+ " which stands for them in timestamps: rename one of them")
				.formatted(one, other, one.ordinal()));
	}

	@Test
	void zonesOfSomeMembersOnlyAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(members("n1/a", "n2", "n3/b"), 2))
			.withMessage("member n1/a has a zone and member n2 has none: give all or none one");
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(members("n1", "n2/a"), 2))
			.withMessage("member n2/a has a zone and member n1 has none: give all or none one");
	}

	@Test
	void replicationFactorIsOneToTheNumberOfMembers() {
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(THREE, 0))
			.withMessage("the replication factor must be 1 to the number of members, 3, not 0");
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(THREE, 4));
	}

	@Test
	void clusterHasAsManyMembersAsAnEntryCanBeWrittenTo() {
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(List.of(), 1))
			.withMessage("a cluster has 1 to 255 members, not 0");
		assertThatIllegalArgumentException().isThrownBy(() -> Ring.of(RandomMembers.withoutZones(1, 256), 256))
			.withMessage("a cluster has 1 to 255 members, not 256");
		assertThat(Ring.of(RandomMembers.withoutZones(1, 255), 255).replicationFactor()).isEqualTo(255);
		assertThat(Ring.of(members("n0"), 1).preferenceList(Key.of("key"))).containsExactly(Member.of("n0"));
	}

	@Test
	void badNamesAreRefused() {
		assertThat(new Member("x".repeat(63), "Zone_1.a-b")).hasToString("x".repeat(63) + "/Zone_1.a-b");
		for (String bad : List.of("", "x".repeat(64), "a/b", "a b", "ä", "a\n")) {
			assertThatIllegalArgumentException().isThrownBy(() -> Member.of(bad))
				.withMessage("the id '%s' of a member must be 1 to 63 letters, digits, dots, dashes and underscores"
					.formatted(bad));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> new Member("n1", "a/b"))
			.withMessageContaining("the zone 'a/b' of a member");
	}

	@Test
	void ordinalIsThatOfTheStoreOfTheNode() {
		assertThat(Member.of("n1").ordinal()).isEqualTo(StoreOwner.alone("n1", "cluster").ordinal());
	}

	private long lookUp(Key key, int rounds) {
		long found = 0;
		for (int i = 0; i < rounds; i++) {
			List<Member> list = this.ring.preferenceList(key);
			found += list.get(i % list.size()).id().length() + this.ring.memberIndex(this.ring.partitionOf(key), 0);
		}
		return found;
	}

	private String answer(String block) {
		if (!block.contains(SEPARATOR)) {
			return block;
		}
		String question = block.substring(0, block.indexOf(SEPARATOR));
		List<String> lines = question.lines().filter((line) -> !line.startsWith("#")).toList();
		String answer = run(lines.getFirst(), lines.subList(1, lines.size()));
		return question + SEPARATOR + "\n" + answer + (block.endsWith("\n") ? "\n" : "");
	}

	private String run(String command, List<String> body) {
		String[] words = command.split(" ", -1);
		return switch (words[0]) {
			case "ring" -> {
				this.ring = Ring.of(members(body.toArray(String[]::new)), Integer.parseInt(words[1]));
				yield "epoch %016x\nlists %016x".formatted(this.ring.epoch(), hashOfLists());
			}
			case "keys" -> body.stream().map(this::describeKey).collect(Collectors.joining("\n"));
			case "partitions" -> body.stream()
				.map((number) -> number + ": " + describeList(Integer.parseInt(number)))
				.collect(Collectors.joining("\n"));
			default -> throw new IllegalArgumentException("unknown command " + command);
		};
	}

	/* A key that starts with 0x is given by its bytes. */
	private String describeKey(String text) {
		Key key = text.startsWith("0x") ? Key.wrap(HexFormat.of().parseHex(text, 2, text.length())) : Key.of(text);
		int partition = this.ring.partitionOf(key);
		return "%s: %016x, partition %d: %s".formatted(text, key.hash64(), partition, describeList(partition));
	}

	private String describeList(int partition) {
		return this.ring.preferenceList(partition).stream().map(Member::id).collect(Collectors.joining(" "));
	}

	/* So that a change anywhere is seen: of the indexes of all lists, a byte each. */
	private long hashOfLists() {
		int size = this.ring.members().size();
		byte[] indexes = new byte[Ring.PARTITIONS * size];
		for (int i = 0; i < indexes.length; i++) {
			indexes[i] = (byte) this.ring.memberIndex(i / size, i % size);
		}
		return Hash64.of(indexes);
	}

	private static List<List<Member>> lists(Ring ring) {
		return IntStream.range(0, Ring.PARTITIONS).mapToObj(ring::preferenceList).toList();
	}

	private static List<List<String>> ids(Ring ring) {
		return lists(ring).stream().map((list) -> list.stream().map(Member::id).toList()).toList();
	}

	private static List<Member> members(String... texts) {
		List<Member> members = new ArrayList<>();
		for (String text : texts) {
			String[] parts = text.split("/", 2);
			members.add(new Member(parts[0], (parts.length > 1) ? parts[1] : ""));
		}
		return members;
	}

}
