package io.quorate.command;

import java.io.IOException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two nodes, of which a command asks the next one when the first has failed. */
public abstract class TwoNodes {

	protected ScriptedNode first;

	protected ScriptedNode second;

	@BeforeEach
	public void start() throws IOException {
		this.first = new ScriptedNode();
		this.second = new ScriptedNode();
	}

	@AfterEach
	public void stop() {
		this.first.close();
		this.second.close();
	}

}
