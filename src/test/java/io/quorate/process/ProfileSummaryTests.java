package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the summary of {@code tools/profile} counts each sample once, for the room that is
 * named. Needs {@code python3}.
 */
@Tag(Scale.FULL)
class ProfileSummaryTests {

	private static final String LOOP = "[reactor-http-epoll-1 tid=7];java/lang/Thread.run_[j];io/netty/channel/epoll/EpollIoHandler.run_[j];";

	private static final String WRITE = LOOP
			+ "org/springframework/web/reactive/DispatcherHandler.handle_[j];io/quorate/coordinator/QuorumWrite.send_[j];";

	@TempDir
	private Path directory;

	@Test
	void aLibraryFrameCountsForTheInnermostComponentThatCallsIt() throws Exception {
		recorded("put-n0", "cpu", LOOP + "org/springframework/web/reactive/DispatcherHandler.handle_[j] 10",
				WRITE + "reactor/core/publisher/MonoMap.subscribe_[j];java/util/HashMap.get_[i] 20",
				WRITE + "io/quorate/internode/Call.send_[j];io/netty/buffer/ByteBuf.writeInt_[i] 5",
				WRITE + "io/quorate/coordinator/CoordinatorMetrics.asked_[i];java/lang/Math.max_[i] 4",
				"[storage-log tid=9];java/lang/Thread.run_[j];java/util/ArrayDeque.poll_[j] 1",
				LOOP + "itable stub 10");
		assertThat(summary()).contains("| HTTP | 20.0 % |\n", "| coordination | 40.0 % |\n", "| internode | 10.0 % |\n",
				"| metrics | 8.0 % |\n", "| storage | 2.0 % |\n", "| Netty's transport | 20.0 % |\n",
				"| *of all, in Reactor's operators* | 40.0 % |\n",
				"- put-n0: 50 samples, 0.03 processors, 500 us for each");
	}

	@Test
	void theKernelIsToldByCallAndByTheRoomThatAsked() throws Exception {
		String entry = "entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];";
		recorded("put-n0", "cpu", WRITE
				+ "io/quorate/internode/frame/FrameConnection.flush_[j];io/netty/channel/Channel.flush_[j];__GI___send;"
				+ entry + "__x64_sys_sendto_[k];tcp_sendmsg_[k] 30",
				"[storage-log tid=9];io/quorate/storage/wal/LogSegment.force_[j];fdatasync;" + entry
						+ "schedule_[k] 40",
				LOOP + "__GI_epoll_wait 20", LOOP + "asm_common_interrupt_[k];handle_softirqs_[k] 10");
		assertThat(summary()).contains("| kernel | 100.0 % |\n", "| sendto, internode | 30.0 % |\n",
				"| fdatasync, storage | 40.0 % |\n", "| epoll_wait, event loop | 20.0 % |\n",
				"| interrupts | 10.0 % |\n");
	}

	@Test
	void theMachinesOwnThreadsCountForNoRoom() throws Exception {
		recorded("get-n1", "cpu", "[C2 CompilerThre tid=3];clone3;Compile::Compile;operator new(unsigned/long) 60",
				"[GC Thread#0 tid=4];clone3;asm_exc_page_fault_[k] 30", "[VM Thread tid=5];clone3;VMThread::run 10");
		assertThat(summary()).contains("| JIT | 60.0 % |\n", "| GC | 30.0 % |\n", "| JVM | 10.0 % |\n")
			.doesNotContain("| kernel |");
	}

	@Test
	void allocationIsToldForEachRequestByClassAndBySite() throws Exception {
		recorded("put-n0", "alloc", WRITE + "byte[]_[i] 300000", LOOP
				+ "io/quorate/internode/MessageWriter.<init>_[j];java/util/ArrayList.<init>_[j];java.lang.Object[]_[i] 100000");
		assertThat(summary()).contains(", 4,000 bytes for each request", "| coordination | 75.0 % |\n",
				"| internode | 25.0 % |\n", "| `byte[]` | 75.0 % | 3,000 |\n",
				"| `MessageWriter.<init>` | 25.0 % | 1,000 |\n");
	}

	@Test
	void aDirectoryOfSomethingElseIsRefused() throws Exception {
		Process process = start();
		assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
			.contains("tools/profile has not made this directory");
		assertThat(process.waitFor()).isEqualTo(1);
	}

	private void recorded(String name, String event, String... stacks) throws IOException {
		Files.writeString(this.directory.resolve("recordings"), name + "\t2\t100\n");
		Files.write(this.directory.resolve(name + "-" + event + ".collapsed"), List.of(stacks));
	}

	private String summary() throws IOException, InterruptedException {
		Process process = start();
		String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(printed).isZero();
		return printed;
	}

	private Process start() throws IOException {
		return new ProcessBuilder("python3", Path.of("tools", "profile.py").toString(), this.directory.toString())
			.start();
	}

}
