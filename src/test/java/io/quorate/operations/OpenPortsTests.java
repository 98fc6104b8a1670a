package io.quorate.operations;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class OpenPortsTests {

	@ParameterizedTest
	@CsvSource({ "0.0.0.0,,server.address", ",,server.address", "10.1.2.3,127.0.0.1,server.address",
			"127.0.0.1,0.0.0.0,management.server.address" })
	void anOpenNodeOnAnotherAddressDoesNotStart(@Nullable String clients, @Nullable String operators, String named)
			throws UnknownHostException {
		ServerProperties server = server(clients);
		ManagementServerProperties management = management(operators);
		assertThatExceptionOfType(OpenPortException.class)
			.isThrownBy(() -> OpenPorts.require(server, management, false, false))
			.withMessageStartingWith(named + " is not loopback");
		OpenPorts.require(server, management, true, false);
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.1,", "::1,", "127.0.0.1,127.0.0.1" })
	void loopbackNeedsNothing(String clients, @Nullable String operators) throws UnknownHostException {
		OpenPorts.require(server(clients), management(operators), false, false);
	}

	@Test
	void aNodeThatIsOpenOnPurposeWarns(CapturedOutput output) throws UnknownHostException {
		OpenPorts.require(server("0.0.0.0"), management(null), false, true);
		assertThat(output).contains("WARN", "server.address is not loopback, and clients need no credentials");
	}

	private static ServerProperties server(@Nullable String address) throws UnknownHostException {
		ServerProperties server = new ServerProperties();
		if (address != null) {
			server.setAddress(InetAddress.getByName(address));
		}
		return server;
	}

	private static ManagementServerProperties management(@Nullable String address) throws UnknownHostException {
		ManagementServerProperties management = new ManagementServerProperties();
		if (address != null) {
			management.setAddress(InetAddress.getByName(address));
		}
		return management;
	}

}
