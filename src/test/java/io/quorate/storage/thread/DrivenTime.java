package io.quorate.storage.thread;

/**
 * Time that passes only while work rests that a test does in the stead of a thread, or
 * when the test lets it pass.
 */
public final class DrivenTime implements ThreadTime {

	private Runnable meanwhile = () -> {
	};

	private long nanos;

	/** Has something happen at the end of each rest. */
	public void meanwhile(Runnable happens) {
		this.meanwhile = happens;
	}

	/** Lets time pass until an instant, unless it is over. */
	public void passUntil(long instant) {
		this.nanos = Math.max(this.nanos, instant);
	}

	@Override
	public void rest(long rest) {
		this.nanos += rest;
		this.meanwhile.run();
	}

	@Override
	public long nanos() {
		return this.nanos;
	}

}
