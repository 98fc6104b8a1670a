package io.quorate.internode.wiring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.quorate.entry.Key;
import io.quorate.internode.FreezableProxy;
import io.quorate.internode.peer.PeerReplica;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static io.quorate.internode.wiring.InternodeFixture.MAX_VALUE_BYTES;
import static io.quorate.internode.wiring.InternodeFixture.PATIENCE;
import static io.quorate.internode.wiring.InternodeFixture.live;
import static io.quorate.internode.wiring.InternodeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

class DirectMemoryMetricsTests {

	private static final int PIECE_BYTES = 64 * 1024;

	private final MeterRegistry registry = new SimpleMeterRegistry();

	@BeforeEach
	void bind() {
		new DirectMemoryMetrics().bindTo(this.registry);
	}

	@Test
	void memoryIsCountedAsItIsTakenAndGivenBack() {
		double before = used();
		ByteBuf buffer = ByteBufAllocator.DEFAULT.directBuffer(MAX_VALUE_BYTES);
		assertThat(used() - before).isGreaterThanOrEqualTo(MAX_VALUE_BYTES);
		buffer.release();
		assertThat(used() - before).isLessThan(MAX_VALUE_BYTES);
	}

	@Test
	void aLargeValueOnItsWayIsSeen() throws IOException {
		try (InternodeFixture nodes = new InternodeFixture();
				FreezableProxy wire = new FreezableProxy(nodes.serve().port())) {
			PeerReplica peer = nodes.connected(wire.port());
			wire.freeze();
			List<ByteBuf> atHand = takeWhatIsAtHand();
			double before = used();
			Mono<WriteReply> write = peer.apply(Key.of("key"), live(MAX_VALUE_BYTES), soon());
			assertThat(used() - before).as("the rest of a chunk may have been at hand")
				.isGreaterThan(MAX_VALUE_BYTES / 2);
			atHand.forEach(ByteBuf::release);
			wire.thaw();
			assertThat(write.block(PATIENCE)).isEqualTo(WriteReply.Applied.COMPLETE);
		}
	}

	/**
	 * Netty keeps what others have given back, and takes nothing more before it is used.
	 */
	private List<ByteBuf> takeWhatIsAtHand() {
		List<ByteBuf> taken = new ArrayList<>();
		double before = used();
		while (used() - before < MAX_VALUE_BYTES) {
			taken.add(ByteBufAllocator.DEFAULT.directBuffer(PIECE_BYTES, PIECE_BYTES));
		}
		return taken;
	}

	@Test
	void theBoundIsThatOfTheJvm() {
		assertThat(this.registry.get("quorate.direct.memory.limit").gauge().value())
			.isEqualTo((double) Runtime.getRuntime().maxMemory());
	}

	private double used() {
		return this.registry.get("quorate.direct.memory").gauge().value();
	}

}
