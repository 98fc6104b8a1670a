package io.quorate.simulation;

import io.quorate.consensus.Answer;

/** The answers of voters, less what a planted bug leaves out. */
final class PlantedVotes {

	private PlantedVotes() {
	}

	static Answer heard(PlantedBug bug, Answer answer) {
		if (bug == PlantedBug.NO_PREPARE && answer instanceof Answer.Promise(var version, var voter, var ballot, _)) {
			return new Answer.Promise(version, voter, ballot, null);
		}
		return answer;
	}

}
