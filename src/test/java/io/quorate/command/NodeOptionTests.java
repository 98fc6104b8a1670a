package io.quorate.command;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The short options of a node: the properties that a user need not spell out. */
class NodeOptionTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "--port 8081 --id n1|--server.port=8081 --quorate.node.id=n1", "--port=8081|--server.port=8081",
					"--members n0@a:1,n1@b:1|--quorate.cluster.members=n0@a:1,n1@b:1",
					"--listen 10.0.0.1|--server.address=10.0.0.1 --quorate.internode.address=10.0.0.1",
					"--data a=b|--quorate.storage.directory=a=b", "--data=|--quorate.storage.directory=",
					"--server.port=1 --debug|--server.port=1 --debug" })
	void shortOptionsStandForProperties(String written, String meant) {
		String[] all = NodeOption.expand(written.split(" ", -1));
		assertThat(String.join(" ", all)).isEqualTo(meant);
		assertThat(all).allMatch(NodeOption::isProperty);
	}

	@ParameterizedTest
	@ValueSource(strings = { "--port", "--port --id=n0", "data", "--prot=8081", "--=.", "-d", "n1" })
	void otherArgumentsStay(String written) {
		assertThat(NodeOption.expand(written.split(" ", -1))).anyMatch((word) -> !NodeOption.isProperty(word));
	}

}
