package io.quorate.internode.wire;

import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.quorate.golden.GoldenFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages between nodes against the golden file of each version of the protocol.
 */
class GoldenMessagesTests {

	private static final HexFormat HEX = HexFormat.of();

	private static IntStream versions() {
		return IntStream.rangeClosed(Wire.OLDEST_VERSION, Wire.VERSION);
	}

	@ParameterizedTest
	@MethodSource("versions")
	void requestsHaveTheBytesOfTheirVersion(int version) {
		Map<String, byte[]> golden = golden(version, "request.");
		Map<String, Request.Envelope> requests = GoldenMessages.requests();
		assertThat(golden.keySet()).isEqualTo(requests.keySet());
		requests.forEach((name, request) -> {
			byte[] bytes = golden.getOrDefault(name, new byte[0]);
			assertThat(RequestCodec.decode(Unpooled.wrappedBuffer(bytes))).as(name).isEqualTo(request);
			requireBytes(name, RequestCodec.encode(request), bytes);
		});
	}

	@ParameterizedTest
	@MethodSource("versions")
	void repliesHaveTheBytesOfTheirVersion(int version) {
		Map<String, byte[]> golden = golden(version, "reply.");
		Map<String, Reply.Envelope> replies = GoldenMessages.replies();
		assertThat(golden.keySet()).isEqualTo(replies.keySet());
		replies.forEach((name, reply) -> {
			byte[] bytes = golden.getOrDefault(name, new byte[0]);
			assertThat(ReplyCodec.decode(Unpooled.wrappedBuffer(bytes))).as(name).isEqualTo(reply);
			requireBytes(name, ReplyCodec.encode(reply), bytes);
		});
	}

	@Test
	void fieldsOfALaterProgramAreSkipped() {
		Map<String, byte[]> later = GoldenFiles.hex("wire-1-later.txt");
		assertThat(later).hasSize(5);
		later.forEach((name, bytes) -> {
			String known = name.replace("-longer-field", "");
			if (name.startsWith("request.")) {
				assertThat(RequestCodec.decode(Unpooled.wrappedBuffer(bytes))).as(name)
					.isEqualTo(GoldenMessages.requests().get(known));
			}
			else {
				assertThat(ReplyCodec.decode(Unpooled.wrappedBuffer(bytes))).as(name)
					.isEqualTo(GoldenMessages.replies().get(known));
			}
		});
	}

	@Test
	void eachTypeOfMessageHasAGoldenOne() {
		assertThat(types(GoldenMessages.requests().values().stream().map(Request.Envelope::request)))
			.isEqualTo(records(Request.class));
		assertThat(types(GoldenMessages.replies().values().stream().map(Reply.Envelope::reply)))
			.isEqualTo(records(Reply.class));
	}

	@Test
	void theCurrentVersionHasAGoldenFile() {
		assertThat(golden(Wire.VERSION, "request.")).isNotEmpty();
		assertThat(golden(Wire.VERSION, "reply.")).isNotEmpty();
	}

	private static void requireBytes(String name, Message message, byte[] golden) {
		Budget budget = new Budget(Long.MAX_VALUE);
		budget.take(message.cost());
		byte[] bytes = SentMessages.taken(message.outgoing(ByteBufAllocator.DEFAULT, budget)).array();
		assertThat(HEX.formatHex(bytes)).as(GoldenFiles.OTHER_BYTES + name).isEqualTo(HEX.formatHex(golden));
	}

	private static Map<String, byte[]> golden(int version, String prefix) {
		return GoldenFiles.hex("wire-%d.txt".formatted(version))
			.entrySet()
			.stream()
			.filter((message) -> message.getKey().startsWith(prefix))
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	private static Set<String> types(Stream<?> messages) {
		return messages.map((message) -> message.getClass().getName()).collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> records(Class<?> sealed) {
		return Stream.of(sealed.getPermittedSubclasses())
			.flatMap((type) -> type.isSealed() ? records(type).stream() : Stream.of(type.getName()))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
