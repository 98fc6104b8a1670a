package io.quorate.consensus;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A network that loses, doubles and reorders messages, by the seed of its random numbers,
 * until it is healed. It holds a bounded number of them.
 */
public final class LossyNetwork {

	private static final int MOST_MESSAGES = 60;

	private final Random random;

	private final int lostPercent;

	private final int doubledPercent;

	private final List<Runnable> underWay = new ArrayList<>();

	private boolean isHealed;

	public LossyNetwork(Random random) {
		this.random = random;
		this.lostPercent = random.nextInt(40);
		this.doubledPercent = random.nextInt(50);
	}

	/** From now on it loses and doubles nothing. */
	public void heal() {
		this.isHealed = true;
	}

	/** Sends a message. */
	public void send(Runnable delivery) {
		if (this.isHealed) {
			this.underWay.add(delivery);
			return;
		}
		for (int copies = (this.random.nextInt(100) < this.doubledPercent) ? 3 : 1; copies > 0; copies--) {
			if (this.random.nextInt(100) >= this.lostPercent) {
				this.underWay.add(delivery);
			}
		}
		while (this.underWay.size() > MOST_MESSAGES) {
			this.underWay.remove(this.random.nextInt(this.underWay.size()));
		}
	}

	/** Delivers one of the messages under way, if there is any. */
	public void deliver() {
		if (!this.underWay.isEmpty()) {
			this.underWay.remove(this.random.nextInt(this.underWay.size())).run();
		}
	}

	/** Delivers all messages, and those that they cause. */
	public void drain() {
		while (!this.underWay.isEmpty()) {
			deliver();
		}
	}

}
