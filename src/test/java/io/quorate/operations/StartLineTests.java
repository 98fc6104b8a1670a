package io.quorate.operations;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.members.Layouts;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

import static org.assertj.core.api.Assertions.assertThat;

class StartLineTests {

	private final ServerProperties server = new ServerProperties();

	@Test
	void aNodeAloneOnLoopbackIsForThisMachine() {
		this.server.setAddress(InetAddress.getLoopbackAddress());
		assertThat(line("n0")).isEqualTo(
				"Serving http://127.0.0.1:8080 to every program on this machine, without authentication; data in %s; cluster west, node n0, alone"
					.formatted(Path.of("data").toAbsolutePath()));
	}

	@Test
	void aNodeWithAnOpenAddressIsForEachThatReachesIt() throws Exception {
		String open = "to every client that reaches this address, without authentication; ";
		assertThat(line("n0")).startsWith("Serving http://0.0.0.0:8080 " + open);
		this.server.setAddress(InetAddress.getByName("10.0.0.1"));
		assertThat(line("n0")).startsWith("Serving http://10.0.0.1:8080 " + open);
		this.server.setAddress(InetAddress.getByName("fd00::1"));
		assertThat(line("n0")).startsWith("Serving http://[fd00:0:0:0:0:0:0:1]:8080 " + open);
	}

	@Test
	void theMembersAreNamed() {
		assertThat(line("n1", "n0", "n1", "n2")).endsWith("; cluster west, node n1 of n0, n1, n2");
	}

	@Test
	void certificatesOfClientsAreAnAuthentication() {
		Ssl ssl = new Ssl();
		ssl.setBundle("clients");
		this.server.setSsl(ssl);
		assertThat(line("n0")).startsWith("Serving https://0.0.0.0:8080 to every client that reaches this address, ");
		ssl.setClientAuth(ClientAuth.WANT);
		assertThat(line("n0")).contains("without authentication");
		ssl.setClientAuth(ClientAuth.NEED);
		assertThat(line("n0")).startsWith(
				"Serving https://0.0.0.0:8080 to every client with a certificate that server.ssl trusts; data in ");
		ssl.setEnabled(false);
		assertThat(line("n0")).startsWith("Serving http://").contains("without authentication");
	}

	private String line(String self, String... members) {
		List<Member> all = (members.length == 0) ? List.of(Member.of(self))
				: List.of(members).stream().map(Member::of).toList();
		List<Endpoint> endpoints = (members.length == 0) ? List.of()
				: all.stream().map((member) -> new Endpoint(member, member.id(), 7100)).toList();
		Layouts layouts = new Layouts(self, new Layout(Layout.FIRST, endpoints, Ring.of(all, all.size())));
		return new StartLine(new NodeLabel(self, "west", "1"), layouts, Path.of("data"), this.server, false).text(8080);
	}

}
