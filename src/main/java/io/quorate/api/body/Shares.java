package io.quorate.api.body;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quorate.coordinator.Admission;
import io.quorate.security.access.Principal;
import org.springframework.stereotype.Component;

/**
 * The shares of principals in the bounds on requests and bytes in flight. Safe for any
 * number of threads.
 */
@Component
public final class Shares {

	private final Admission whole;

	/* As many as there were principals since the start. */
	private final Map<String, Share> byName = new ConcurrentHashMap<>();

	Shares(Admission admission) {
		this.whole = admission;
	}

	/** Admits the requests of a principal. */
	public Admission of(Principal principal) {
		double part = principal.limits().share();
		if (part >= 1) {
			return this.whole;
		}
		Share share = this.byName.get(principal.name());
		return (share != null && share.part == part) ? share.admission : changed(principal.name(), part);
	}

	/* What is in flight goes on counting, whatever the share was when it began. */
	private Admission changed(String name, double part) {
		return this.byName.compute(name, (_, before) -> {
			if (before == null) {
				return new Share(part, this.whole.share(part));
			}
			before.admission.limit(part);
			return new Share(part, before.admission);
		}).admission;
	}

	private record Share(double part, Admission admission) {
	}

}
