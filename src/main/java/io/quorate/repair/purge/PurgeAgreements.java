package io.quorate.repair.purge;

import io.quorate.clock.Timestamp;
import io.quorate.repair.antientropy.Agreement;
import io.quorate.repair.antientropy.AgreementListener;
import io.quorate.repair.record.Horizon;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/** Passes the agreements of comparisons to the decision on purges. */
record PurgeAgreements(PurgePermission purgePermission, Horizon horizon) implements AgreementListener {

	@Override
	public Timestamp purgeHorizon() {
		return new Timestamp(this.horizon.overall(), 0);
	}

	@Override
	public @Nullable Failure begins(Agreement agreement) {
		return this.purgePermission.begun(agreement.peer(), agreement.theirs().storageId(), agreement.round().number(),
				agreement.ours().durableSequence(), agreement.round().instant());
	}

	@Override
	public void completed(Agreement agreement) {
		this.purgePermission.completed(agreement.peer(), agreement.theirs().storageId(), agreement.round().number());
	}

}
