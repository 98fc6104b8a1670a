package io.quorate;

import java.io.FileOutputStream;
import java.io.FileWriter;
import java.io.RandomAccessFile;
import java.lang.reflect.Executable;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.Coordinator;
import io.quorate.internode.frame.FrameConnection;
import io.quorate.watch.ChangeSource;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.modulith.ApplicationModule;
import org.springframework.modulith.core.ApplicationModules;
import reactor.test.StepVerifier;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The laws of the house: which room may use which, where foreign types may be seen, and
 * what nobody does anywhere.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.quorate";

	private static final String CLIENT = ROOT + ".client..";

	/*
	 * From the door to the cellar: a room may use those behind it, never one before it.
	 */
	static final List<String> ROOMS = List.of("command", "api", "operations", "backup", "watch", "coordinator",
			"repair", "internode", "membership", "replica", "consensus", "ring", "storage", "security", "entry",
			"clock", "meter");

	/*
	 * Sealed types with their factories, a part and its whole, and, to be mended when
	 * they are next touched, requests and their observers, and a connection and its
	 * detector.
	 */
	private static final List<Set<String>> CIRCLES = List.of(Set.of("BodyReader", "BodySubscriber"),
			Set.of("Door", "RequestLineHandler"), Set.of("InternodeClock", "JudgedClock"),
			Set.of("Segment", "StoredHint"), Set.of("BackgroundThrottle", "BackgroundWork"),
			Set.of("CeilingFile", "CeilingSlots"), Set.of("NodeIdentity", "StoreDirectory"),
			Set.of("Disk", "SystemDisk"), Set.of("DirectoryEntries", "DurableFiles"),
			Set.of("DirectoryReport", "Inspect", "KeyReport"), Set.of("BlockCodec", "Lz4Codec", "ZstdCodec"),
			Set.of("MapDbTable", "MapDbTableCursor"));

	/* Values and functions of values: neither threads nor frameworks. */
	private static final String[] PURE = { ROOT + ".consensus", inside("ring"), inside("entry"), inside("clock"),
			inside("storage.compaction"), inside("storage.record"), inside("storage.log"),
			inside("repair.comparison") };

	private static final int MOST_PARAMETERS = 6;

	private static final ArchCondition<JavaClass> HAVE_THE_NAME_OF_THEIR_ROOM = have(describe("the name of their room",
			(type) -> type.getSimpleName().equalsIgnoreCase(roomOf(type) + "Meters")));

	/*
	 * The client for Java is no room: it has a build of its own, and knows none of them.
	 * Of the instance: a static field would keep hundreds of megabytes for the tests that
	 * come behind.
	 */
	private final JavaClasses main = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption((location) -> !location.contains("/io/quorate/client/"))
		.importPackages(ROOT);

	private final JavaClasses tests = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
		.importPackages(ROOT);

	@Test
	void typesOfAPackageHaveNoCircles() {
		assertThat(TypeCircles.of(this.main)).containsExactlyInAnyOrderElementsOf(CIRCLES);
	}

	@Test
	void roomsKeepToTheirDoorPlates() {
		ApplicationModules.of(ROOT, resideInAPackage(CLIENT)).verify();
	}

	@Test
	void everyRoomIsOneOfThePlan() {
		Set<String> rooms = rooms().map(JavaPackage::getRelativeName).collect(Collectors.toSet());
		assertThat(ROOMS).containsExactlyInAnyOrderElementsOf(rooms);
	}

	@Test
	void everyRoomHasADoorPlateThatNamesOnlyRoomsBehindIt() {
		for (JavaPackage room : rooms().toList()) {
			assertThat(room.isAnnotatedWith(ApplicationModule.class)).as("@ApplicationModule of %s", room.getName())
				.isTrue();
			int place = ROOMS.indexOf(room.getRelativeName());
			assertThat(room.getAnnotationOfType(ApplicationModule.class).allowedDependencies()).as(room.getName())
				.extracting((allowed) -> allowed.replaceFirst("\\s*::.*", ""))
				.allMatch((allowed) -> ROOMS.indexOf(allowed) > place, "stands behind it");
		}
	}

	/* Of the client there are the types that the command uses. */
	private Stream<JavaPackage> rooms() {
		return this.main.getPackage(ROOT)
			.getSubpackages()
			.stream()
			.filter((room) -> !CLIENT.equals(room.getName() + ".."));
	}

	@Test
	void roomsUseOnlyRoomsBehindThem() {
		for (int i = 0; i < ROOMS.size(); i++) {
			String[] before = ROOMS.subList(0, i).stream().map(ArchitectureTests::inside).toArray(String[]::new);
			check(noClasses().that()
				.resideInAPackage(inside(ROOMS.get(i)))
				.should()
				.dependOnClassesThat(resideInAnyPackage(before).or(resideInAPackage(ROOT))));
		}
	}

	@ParameterizedTest
	@CsvSource({ "api,storage", "api,internode", "operations,internode", "coordinator,api", "internode,coordinator",
			"replica,internode", "replica,membership", "replica,ring", "repair,storage.engine", "ring,storage",
			"storage,replica" })
	void roomsDoNotSeeWhatIsNoneOfTheirBusiness(String room, String unseen) {
		String packages = unseen.endsWith(".*") ? ROOT + "." + unseen + "." : inside(unseen);
		check(noClasses().that()
			.resideInAPackage(inside(room))
			.should()
			.dependOnClassesThat(resideInAPackage(packages)));
	}

	/*
	 * From the door to the cellar of a room, whose own package stands before its wings.
	 */
	@ParameterizedTest
	@CsvSource({ "membership,change;exchange;file;agreement;reports;members;layout",
			"command,setup;directory;cluster;bench;data;access;terminal",
			"api,batch;changes;range;page;entity;body;watch;request;transport;problem" })
	void wingsUseOnlyWingsBehindThem(String room, String named) {
		List<String> wings = List.of(named.split(";", -1));
		String house = ROOT + "." + room;
		assertThat(this.main.getPackage(house).getSubpackages()).extracting(JavaPackage::getRelativeName)
			.containsExactlyInAnyOrderElementsOf(wings);
		for (int i = 0; i < wings.size(); i++) {
			String[] before = wings.subList(0, i)
				.stream()
				.map((wing) -> inside(room + "." + wing))
				.toArray(String[]::new);
			check(noClasses().that()
				.resideInAPackage(inside(room + "." + wings.get(i)))
				.should()
				.dependOnClassesThat(resideInAnyPackage(before).or(resideInAPackage(house))));
		}
	}

	@Test
	void packagesHaveNoCycles() {
		check(slices().matching("io.quorate.(**)").should().beFreeOfCycles());
	}

	@ParameterizedTest
	@CsvSource({ "org.mapdb..,storage.sstable", "io.netty..,internode;api.transport",
			"reactor.netty..,internode;api.transport", "org.springframework.web..,api;operations",
			"org.springframework.http..,api;operations", "org.springframework.boot.actuate..,operations;api",
			"net.jpountz..,entry;storage", "com.nimbusds..,security.jwt", "picocli..,command", CLIENT + ",command" })
	void foreignTypesStayInTheirRooms(String foreign, String rooms) {
		String[] allowed = List.of(rooms.split(";", -1)).stream().map(ArchitectureTests::inside).toArray(String[]::new);
		check(noClasses().that()
			.resideOutsideOfPackages(allowed)
			.should()
			.dependOnClassesThat(resideInAPackage(foreign)));
	}

	/* A command answers at once: it cannot wait for the classes of a server. */
	@Test
	void commandsKnowNothingOfAServer() {
		check(noClasses().that()
			.resideInAPackage(inside("command"))
			.and()
			.doNotHaveSimpleName("package-info")
			.should()
			.dependOnClassesThat(resideInAnyPackage("org.springframework..", "io.netty..", "reactor..",
					"org.reactivestreams..", "org.slf4j..", "io.micrometer..")));
	}

	@Test
	void pureRoomsKnowNoFramework() {
		check(noClasses().that()
			.resideInAnyPackage(PURE)
			.and()
			.doNotHaveSimpleName("package-info")
			.should()
			.dependOnClassesThat(resideInAnyPackage("reactor..", "org.reactivestreams..", "org.springframework..",
					"io.micrometer..", "java.io..", "java.nio.file..", "java.nio.channels..", "org.slf4j..")
				.and(describe("are no exceptions", (type) -> !type.isAssignableTo(Throwable.class)))));
	}

	/* But for the layouts that a directory or a backup has recorded. */
	@Test
	void coordinatorAndMembershipKnowNoFiles() {
		check(noClasses().that()
			.resideInAnyPackage(inside("coordinator"), inside("membership"), inside("api"))
			.and()
			.resideOutsideOfPackage(inside("membership.file"))
			.and()
			.doNotHaveSimpleName("RecordedLayout")
			.should()
			.dependOnClassesThat(resideInAnyPackage("java.nio.file..", "java.nio.channels..")));
	}

	/*
	 * A test that puts a disk in which fails, or forgets what was not fsynced, sees all.
	 */
	@Test
	void onlyTheDiskOfTheSystemChangesFiles() {
		check(noClasses().that()
			.resideInAnyPackage(inside("storage"), inside("backup"), inside("repair"), inside("clock"))
			.and()
			.doNotHaveSimpleName("SystemDisk")
			.should()
			.accessTargetWhere(target(owner(type(Files.class))).and(target(
					nameMatching("move|copy|delete.*|create.*|write.*|newOutputStream|newBufferedWriter|newByteChannel"
							+ "|set.*"))))
			.orShould()
			.accessTargetWhere(target(owner(type(FileChannel.class))).and(target(nameMatching("open"))))
			.orShould()
			.dependOnClassesThat()
			.belongToAnyOf(RandomAccessFile.class, FileOutputStream.class, FileWriter.class));
	}

	/* Its calls take what a check of rights has made. */
	@Test
	void handlersReachTheCoordinatorThroughOneClass() {
		check(noClasses().that()
			.resideInAPackage(inside("api"))
			.and()
			.doNotHaveSimpleName("AuthorizedCoordinator")
			.should()
			.dependOnClassesThat(assignableTo(Coordinator.class).or(assignableTo(ChangeSource.class))));
	}

	@Test
	void onlyTheTimeSourceLooksAtTheWallClock() {
		check(noClasses().that()
			.doNotBelongToAnyOf(TimeSource.class)
			.should()
			.callMethod(System.class, "currentTimeMillis")
			.orShould()
			.callMethod(Instant.class, "now")
			.orShould()
			.accessTargetWhere(target(owner(resideInAPackage("java.time"))).and(target(nameMatching("now|system.*"))))
			.orShould()
			.dependOnClassesThat()
			.areAssignableTo(Clock.class));
	}

	/* The two compare what a file says with what it said. */
	@Test
	void digestsOfSecretsAreComparedInConstantTime() {
		check(noClasses().that()
			.resideInAnyPackage(inside("security"), inside("api"))
			.and()
			.doNotHaveSimpleName("AccessFile")
			.and()
			.doNotHaveSimpleName("WatchedKeys")
			.should()
			.callMethod(Arrays.class, "equals", byte[].class, byte[].class)
			.orShould()
			.callMethod(Arrays.class, "compare", byte[].class, byte[].class)
			.orShould()
			.callMethod(Arrays.class, "mismatch", byte[].class, byte[].class)
			.because("the time that it takes must not tell how much of a hash is right: MessageDigest.isEqual"));
	}

	@Test
	void everyPackageIsNullMarked() {
		assertThat(packagesWithClasses(this.main)).allMatch((room) -> room.isAnnotatedWith(NullMarked.class),
				"@NullMarked");
		Set<String> main = packagesWithClasses(this.main).stream()
			.map(JavaPackage::getName)
			.collect(Collectors.toSet());
		assertThat(packagesWithClasses(this.tests)).filteredOn((room) -> !main.contains(room.getName()))
			.allMatch((room) -> room.isAnnotatedWith(NullMarked.class), "@NullMarked");
	}

	@Test
	void namesSayWhatThingsAre() {
		check(noClasses().should().haveNameMatching(".*(Utils?|Helper|Manager|Impl|Abstract.*)"));
		checkTests(noClasses().should().haveNameMatching(".*(Utils?|Helper|Manager|Impl)"));
	}

	@Test
	void dependenciesComeThroughConstructors() {
		check(noFields().should()
			.beAnnotatedWith(Autowired.class)
			.orShould()
			.beAnnotatedWith("jakarta.annotation.Resource")
			.orShould()
			.beAnnotatedWith("jakarta.inject.Inject"));
		check(noClasses().should().dependOnClassesThat().areAssignableTo(Value.class));
		check(noClasses().that()
			.resideOutsideOfPackage(inside("operations.configuration"))
			.should()
			.dependOnClassesThat(resideInAPackage("org.springframework.core.env"))
			.because("rooms receive their properties as a record; only the check of all names looks at their sources"));
	}

	/* Once it is closed, it returns another channel, without event loop. */
	@Test
	void aConnectionIsKeptByItsFramesAlone() {
		check(noFields().that()
			.areNotDeclaredIn(FrameConnection.class)
			.should()
			.haveRawType("reactor.netty.Connection"));
	}

	@Test
	void noThreadSleeps() {
		ArchRule rule = noClasses().should()
			.accessTargetWhere(calls("java.lang.Thread", "sleep").or(calls("java.util.concurrent.TimeUnit", "sleep")));
		check(rule);
		checkTests(rule);
	}

	@Test
	void noClassButTheCommandsWritesToTheConsole() {
		check(noClasses().that()
			.doNotHaveFullyQualifiedName("io.quorate.Commands")
			.should()
			.accessTargetWhere(
					calls("java.lang.System", "out|err").or(calls("java.lang.Throwable", "printStackTrace"))));
	}

	@Test
	void publishersAreNeitherBlockedNorMovedToReactorsSchedulers() {
		check(noClasses().should()
			.accessTargetWhere(calls("reactor.core.scheduler.Schedulers",
					"boundedElastic|parallel|single|newBoundedElastic" + "|newParallel|newSingle|immediate")
				.or(calls("reactor.core.publisher.(Mono|Flux)", "block.*|toIterable|toStream"))
				.or(calls("reactor.core.publisher.(Mono|Flux)", "onErrorContinue|onErrorReturn|timeout"))));
	}

	/* An interrupt in the middle of a read or write closes the file for everybody. */
	@Test
	void storageInterruptsNoThread() {
		check(noClasses().that()
			.resideInAPackage(inside("storage"))
			.should()
			.accessTargetWhere(calls("java.util.concurrent.*", "shutdownNow|cancel")));
	}

	/* The session sets it for all. */
	@Test
	void verificationsHaveATimeLimit() {
		checkTests(noClasses().that()
			.doNotHaveFullyQualifiedName(TestSession.class.getName())
			.should()
			.accessTargetWhere(calls("reactor.test.StepVerifier", "(?:re)?setDefaultTimeout")));
		checkTests(classes().that()
			.haveFullyQualifiedName(TestSession.class.getName())
			.should()
			.callMethod(StepVerifier.class, "setDefaultTimeout", Duration.class));
	}

	/*
	 * Of settings and of the operations of endpoints each parameter has a name that
	 * people outside write: these have as many as there are names.
	 */
	@Test
	void parametersAreFew() {
		Set<String> many = new TreeSet<>();
		for (JavaClass type : this.main) {
			if (!type.isAnonymousClass() && !type.isAnnotatedWith(ConfigurationProperties.class)) {
				type.getCodeUnits()
					.stream()
					.filter((unit) -> unit instanceof JavaConstructor || unit instanceof JavaMethod)
					.filter((unit) -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC))
					.filter((unit) -> !unit.isAnnotatedWith(WriteOperation.class))
					.filter((unit) -> parameters(unit) > MOST_PARAMETERS)
					.forEach((unit) -> many
						.add(type.getSimpleName() + (unit.isConstructor() ? "" : "." + unit.getName())));
			}
		}
		assertThat(many).isEmpty();
	}

	private static int parameters(JavaCodeUnit unit) {
		Executable executable = (unit instanceof JavaConstructor constructor) ? constructor.reflect()
				: (Executable) unit.reflect();
		boolean isEnum = unit.getOwner().isEnum() && unit.isConstructor();
		return executable.getParameterCount() - (isEnum ? 2 : 0);
	}

	@Test
	void noTestIsSwitchedOff() {
		checkTests(noClasses().should().dependOnClassesThat().haveFullyQualifiedName("org.junit.jupiter.api.Disabled"));
	}

	@Test
	void metersAreDocumentedEnumsNamedAfterTheirRoom() {
		check(classes().that()
			.areAssignableTo(MeterDocumentation.class)
			.and()
			.areNotInterfaces()
			.should()
			.beEnums()
			.andShould()
			.haveSimpleNameEndingWith("Meters"));
		check(classes().that()
			.haveSimpleNameEndingWith("Meters")
			.should()
			.beAssignableTo(MeterDocumentation.class)
			.andShould(HAVE_THE_NAME_OF_THEIR_ROOM));
	}

	@Test
	void propertiesAreRecords() {
		check(classes().that()
			.areAnnotatedWith("org.springframework.boot.context.properties.ConfigurationProperties")
			.should()
			.beRecords());
	}

	private static String roomOf(JavaClass type) {
		return type.getPackageName().replaceFirst("^io\\.quorate\\.([^.]*).*", "$1");
	}

	private static String inside(String room) {
		return ROOT + "." + room + "..";
	}

	private static DescribedPredicate<JavaAccess<?>> calls(String owner, String name) {
		return describe("calls %s.%s".formatted(owner, name),
				(access) -> access.getTargetOwner().getName().matches(owner)
						&& access.getTarget().getName().matches(name));
	}

	private static Set<JavaPackage> packagesWithClasses(JavaClasses classes) {
		return classes.stream()
			.filter((type) -> !type.getSimpleName().equals("package-info"))
			.map(JavaClass::getPackage)
			.collect(Collectors.toSet());
	}

	private void check(ArchRule rule) {
		rule.allowEmptyShould(true).check(this.main);
	}

	private void checkTests(ArchRule rule) {
		rule.allowEmptyShould(true).check(this.tests);
	}

}
