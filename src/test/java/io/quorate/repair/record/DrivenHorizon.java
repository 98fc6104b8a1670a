package io.quorate.repair.record;

import java.util.HashMap;
import java.util.Map;

/** The purge horizons of a simulated directory. */
public final class DrivenHorizon {

	private final Map<String, String> kept = new HashMap<>();

	private Horizon.Levels levels = Horizon.Levels.NOTHING;

	/** Opens what is durable. */
	public Horizon open() {
		Horizon[] opened = new Horizon[1];
		opened[0] = new Horizon((values) -> {
			this.kept.clear();
			this.kept.putAll(values);
			this.levels = new Horizon.Levels(Long.parseUnsignedLong(values.getOrDefault("overall", "0"), 16), Map.of());
		}, this.levels, true);
		return opened[0];
	}

	/** The directory is lost. */
	public void lose() {
		this.kept.clear();
		this.levels = Horizon.Levels.NOTHING;
	}

}
