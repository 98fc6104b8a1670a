package io.quorate.client;

/**
 * A program that reads once, and writes once on the same connection. It prints the kind
 * of error that the write has.
 */
final class OneWrite {

	private OneWrite() {
	}

	public static void main(String[] args) {
		try (QuorateClient client = QuorateClient.of(args[0])) {
			client.get("k");
			switch (args[1]) {
				case "put" -> client.put("k", "v");
				case "empty put" -> client.put("k", "");
				default -> client.delete("k");
			}
			System.out.print("written");
		}
		catch (QuorateException error) {
			System.out.print(error.getClass().getSimpleName());
		}
	}

}
