package io.quorate.simulation;

import io.quorate.consensus.Answer;

/** The answers of voters, less what a planted bug leaves out. */
final class PlantedVotes {

	private PlantedVotes() {
	}

	static Answer heard(PlantedBug bug, Answer answer) {
		if (bug == PlantedBug.NO_PREPARE && answer instanceof Answer.Promise promise) {
			return new Answer.Promise(promise.version(), promise.voter(), promise.ballot(), null);
		}
		return answer;
	}

}
