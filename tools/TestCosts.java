import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/*
 * The thirty test classes that cost the most, and the sum of all. Arguments: the directory with a file for each class, of its wall and
 * processor time in milliseconds, and the most processor time of all in seconds, 0 for no bound. Exit code 1: the sum is above it. Wall time has
 * no bound: it is that of the machine and of what else it does.
 */

static final int SHOWN = 30;

record Cost(String name, long wallMillis, long processorMillis) {

	static Cost read(Path file) {
		try {
			String[] millis = Files.readString(file).strip().split(" ");
			return new Cost(file.getFileName().toString(), Long.parseLong(millis[0]), Long.parseLong(millis[1]));
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	@Override
	public String toString() {
		return String.format("%8.1f %8.1f  %s", wallMillis / 1e3, processorMillis / 1e3, name);
	}

}

void main(String[] args) throws IOException {
	long bound = Long.parseLong(args[1]) * 1000;
	List<Cost> costs;
	try (Stream<Path> files = Files.list(Path.of(args[0]))) {
		costs = files.map(Cost::read).sorted(Comparator.comparingLong(Cost::processorMillis).reversed()).toList();
	}
	IO.println("Test classes by seconds of wall and processor time:");
	costs.stream().limit(SHOWN).forEach(IO::println);
	Cost sum = new Cost("%d classes, %s".formatted(costs.size(), (bound > 0) ? "of %d s".formatted(bound / 1000) : "no bound"),
			costs.stream().mapToLong(Cost::wallMillis).sum(), costs.stream().mapToLong(Cost::processorMillis).sum());
	IO.println(sum);
	if (bound > 0 && sum.processorMillis > bound) {
		System.err.printf("The tests of the gate take %d s of processor time, of at most %d s; the most of it %s. What need not be in each build has the tag 'full'.%n",
				sum.processorMillis / 1000, bound / 1000, costs.getFirst().name);
		System.exit(1);
	}
}
