package io.quorate.membership.reports;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The processes that are connected to this node as members: of those with one id the one
 * is the member whose directory the layout names. Called on event loops, by several at
 * once; neither blocks nor fails.
 */
public interface MemberProcesses {

	/** The processes of a node that takes each for the member whose id it has. */
	MemberProcesses UNJUDGED = (_, _) -> new Presence() {

		@Override
		public @Nullable String refusal() {
			return null;
		}

		@Override
		public boolean counts() {
			return true;
		}

		@Override
		public void heard() {
		}

		@Override
		public void end() {
		}

	};

	/**
	 * A process has agreed in a handshake, on a connection that either side made.
	 * @param dismissal closes the connection, on any thread: another process is the
	 * member
	 */
	Presence enter(MemberProcess its, Runnable dismissal);

	/**
	 * A peer refuses this process, because another one is this member. It is to be
	 * reported each time: what is not repeated is over after some seconds.
	 * @param addresses those of the other one and of this one, {@code null} when the peer
	 * does not refuse it any more
	 */
	default void refusedBy(String peer, @Nullable String addresses) {
	}

	/**
	 * A peer reports that it refuses another process with the id of this one.
	 * @param addresses those of this one and of the other one
	 */
	default void toldOf(String addresses) {
	}

	/**
	 * The addresses of a process that is a member, and of another one with its id that
	 * was refused a moment ago; {@code null} when there is no such one.
	 * @param directory storage id of the process that is the member
	 */
	default @Nullable String addressesOf(String member, UUID directory) {
		return null;
	}

	/**
	 * A process that says that it is a member.
	 *
	 * @param member id of the member
	 * @param directory storage id of its directory
	 * @param number of the process, 0 if it does not say
	 * @param address where it listens, or the other end of the connection, for people
	 * @param patience time that it may be silent before it counts as gone
	 */
	record MemberProcess(String member, UUID directory, long number, String address, Duration patience) {

		/** Whether another one has a directory of its own, which may be a copy. */
		boolean isOther(MemberProcess than) {
			return !this.directory.equals(than.directory)
					|| (this.number != than.number && this.number != 0 && than.number != 0);
		}

	}

	/**
	 * The name of a process, which ends with it.
	 *
	 * @param number a random one, which differs from that of another process whose
	 * directory is a copy; 0 for none
	 * @param address where it listens, for people; empty if it does not say
	 */
	record ProcessName(long number, String address) {

		/** The name of a process that says none. */
		public static final ProcessName UNKNOWN = new ProcessName(0, "");

		/** A name that no other process has. */
		public static ProcessName drawn(String address) {
			return new ProcessName(new SecureRandom().nextLong(1, Long.MAX_VALUE), address);
		}

		public boolean isUnknown() {
			return equals(UNKNOWN);
		}

	}

	/** A connection with a process. */
	interface Presence {

		/**
		 * The addresses of the process that is the member, and of this one, which is to
		 * be refused; {@code null} when this one is admitted.
		 */
		@Nullable String refusal();

		/**
		 * Whether what the process acknowledges and answers is that of the member now: it
		 * may be admitted only to be rebuilt, and to be named by a later layout.
		 */
		boolean counts();

		/** The process has sent something. */
		void heard();

		/** The connection is over. */
		void end();

	}

}
