package io.quorate.operations;

/** The distance between names, to find the one that a misspelt one may stand for. */
public final class Spelling {

	private Spelling() {
	}

	/**
	 * The edit distance (Levenshtein): the smallest number of characters that are
	 * inserted, left out or replaced to make one text of the other.
	 */
	public static int distance(String left, String right) {
		int[] previous = new int[right.length() + 1];
		for (int j = 0; j <= right.length(); j++) {
			previous[j] = j;
		}
		for (int i = 1; i <= left.length(); i++) {
			int[] current = new int[right.length() + 1];
			current[0] = i;
			for (int j = 1; j <= right.length(); j++) {
				int change = previous[j - 1] + ((left.charAt(i - 1) == right.charAt(j - 1)) ? 0 : 1);
				current[j] = Math.min(change, Math.min(previous[j], current[j - 1]) + 1);
			}
			previous = current;
		}
		return previous[right.length()];
	}

}
