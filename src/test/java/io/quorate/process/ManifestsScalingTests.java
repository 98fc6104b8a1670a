package io.quorate.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quorate.Handbook;
import io.quorate.membership.ClusterProperties;
import io.quorate.operations.ScaleDownProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** The component by which pods join and leave, and the policies about their number. */
class ManifestsScalingTests {

	private static final JsonNode PATCH = Manifests
		.one("components/scaling/stateful-set.yaml", "StatefulSet", "quorate")
		.at("/spec/template/spec");

	private static final String POD = "quorate-4";

	/* Kubernetes replaces the references to variables that come before. */
	private static Binder pod() {
		Map<String, Object> variables = new TreeMap<>();
		for (JsonNode variable : PATCH.at("/containers/0/env")) {
			String value = variable.path("value").asString(POD);
			for (Map.Entry<String, Object> before : variables.entrySet()) {
				value = value.replace("$(" + before.getKey() + ")", String.valueOf(before.getValue()));
			}
			variables.put(variable.get("name").asString(), value);
		}
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					variables));
		return Binder.get(environment);
	}

	@Test
	void aFurtherPodAsksToJoinByItsName() {
		ClusterProperties cluster = pod().bind("quorate.cluster", ClusterProperties.class).get();
		assertThat(cluster.joinByItself()).isTrue();
		String host = POD + "." + Manifests.statefulSet().at("/spec/serviceName").asString();
		assertThat(cluster.join()).isEqualTo("%s@%s:7100".formatted(POD, host));
		assertThat(cluster.joiningHosts()).singleElement().matches((hosts) -> hosts.covers(host));
		for (JsonNode member : Manifests.configuration("base").at("/cluster/members")) {
			assertThat(cluster.joiningHosts())
				.allMatch((hosts) -> hosts.covers(member.asString().replaceAll(".*@|:.*", "")));
		}
	}

	@Test
	void aPodAsksForItsOwnStatefulSetWithTheTokenThatIsMounted() {
		ScaleDownProperties scaleDown = pod().bind("quorate.operations.scale-down", ScaleDownProperties.class).get();
		assertThat(scaleDown.statefulSet()).isEqualTo(Manifests.statefulSet().at("/metadata/name").asString());
		assertThat(PATCH.at("/containers/0/volumeMounts/0/mountPath").asString())
			.isEqualTo(scaleDown.credentials().toString());
		List<String> files = new ArrayList<>();
		PATCH.at("/volumes/0/projected/sources").findValues("path").forEach((path) -> files.add(path.asString()));
		assertThat(files).containsExactlyInAnyOrder("token", "ca.crt", "namespace");
		JsonNode role = Manifests.one("components/scaling/role.yaml", "Role", "quorate");
		assertThat(role.get("rules")).hasSize(1);
		assertThat(role.at("/rules/0/resources")).extracting(JsonNode::asString).containsExactly("statefulsets");
		assertThat(role.at("/rules/0/verbs")).extracting(JsonNode::asString).containsExactly("get");
		assertThat(Manifests.one("components/scaling/role.yaml", "RoleBinding", "quorate").at("/subjects/0/name"))
			.isEqualTo(Manifests.podSpec().get("serviceAccountName"));
	}

	@Test
	void aPodHasTheTimeToLeaveAndToStop() {
		Duration leaving = pod().bind("quorate.operations.scale-down", ScaleDownProperties.class).get().limit();
		Duration stop = Duration.ofSeconds(Manifests.podSpec().get("terminationGracePeriodSeconds").asLong());
		assertThat(Duration.ofSeconds(PATCH.get("terminationGracePeriodSeconds").asLong()))
			.as("a question to the API server and a step of the leaving may end after the limit")
			.isGreaterThanOrEqualTo(stop.plus(leaving).plusSeconds(60));
	}

	/* Kubernetes would wait for hours for a process that hangs. */
	@ParameterizedTest
	@ValueSource(strings = { "startupProbe", "livenessProbe" })
	void aPodThatHangsHasTheTimeToStopAlone(String probe) {
		assertThat(PATCH.at("/containers/0/" + probe + "/terminationGracePeriodSeconds"))
			.isEqualTo(Manifests.podSpec().get("terminationGracePeriodSeconds"));
	}

	/* Names with as many dots are asked for outside of Kubernetes first. */
	@Test
	void aPodFindsTheApiServerAtOnce() {
		String host = pod().bind("quorate.operations.scale-down", ScaleDownProperties.class)
			.get()
			.apiServer()
			.getHost();
		int dots = Manifests.podSpec().at("/dnsConfig/options/0/value").asInt();
		assertThat(Manifests.podSpec().at("/dnsConfig/options/0/name").asString()).isEqualTo("ndots");
		assertThat(host.chars().filter((each) -> each == '.').count()).isLessThan(dots);
	}

	@Test
	void thePolicyForScalingTakesNoFewerThanTheFirstMembers() {
		JsonNode policy = Manifests.one("policy/least-members.yaml", "ValidatingAdmissionPolicy",
				"quorate-least-members");
		String label = policy.at("/spec/matchConstraints/namespaceSelector/matchExpressions/0/key").asString();
		assertThat(policy.at("/spec/variables/1/expression").asString())
			.isEqualTo("namespaceObject.metadata.labels['%s']".formatted(label));
		assertThat(policy.at("/spec/validations/0/expression").asString())
			.isEqualTo("variables.replicas == 0 || variables.replicas >= int(variables.least)");
		assertThat(
				Manifests.one("policy/least-members.yaml", "ValidatingAdmissionPolicyBinding", "quorate-least-members")
					.at("/spec/policyName")
					.asString())
			.isEqualTo("quorate-least-members");
		assertThat(Handbook.KUBERNETES.text()).contains("kubectl label namespace NAMESPACE %s=%d".formatted(label,
				Manifests.configuration("base").at("/cluster/members").size()));
	}

}
