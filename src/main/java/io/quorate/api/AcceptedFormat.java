package io.quorate.api;

import java.util.List;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * The format of a range that a client accepts, by the name that it accepts.
 *
 * @param format the format
 * @param mediaType the type of the answer
 */
record AcceptedFormat(RecordFormat format, MediaType mediaType) {

	/* The first of equally good ones is sent. */
	private static final List<AcceptedFormat> OFFERED = List.of(
			new AcceptedFormat(RecordFormat.LINES_OF_JSON, MediaType.APPLICATION_NDJSON),
			new AcceptedFormat(RecordFormat.LINES_OF_JSON, new MediaType("application", "jsonl")),
			new AcceptedFormat(RecordFormat.JSON, MediaType.APPLICATION_JSON),
			new AcceptedFormat(RecordFormat.CHUNKS, MediaType.APPLICATION_OCTET_STREAM));

	/**
	 * Returns the format that a client accepts best, and that it names rather than one
	 * that it accepts among others.
	 * @param isKeysOnly whether there are no values, for which chunks have no form
	 * @throws ProblemException 406 when it accepts none
	 */
	static AcceptedFormat of(HttpHeaders headers, boolean isKeysOnly) {
		List<MediaType> accepted = accepted(headers);
		AcceptedFormat best = OFFERED.getFirst();
		if (accepted.isEmpty()) {
			return best;
		}
		double most = 0;
		for (AcceptedFormat offered : OFFERED) {
			if (!isKeysOnly || offered.format != RecordFormat.CHUNKS) {
				double rank = offered.rank(accepted);
				if (rank > most) {
					most = rank;
					best = offered;
				}
			}
		}
		if (most == 0) {
			throw new ProblemException(Problem.of(ProblemType.NOT_ACCEPTABLE,
					"Accept has none of the types of a range: application/x-ndjson, application/jsonl, application/json%s"
						.formatted(isKeysOnly ? "" : ", application/octet-stream")));
		}
		return best;
	}

	/* Quality is in thousandths, so that how it is named decides between equal ones. */
	private double rank(List<MediaType> accepted) {
		int named = -1;
		double quality = 0;
		for (MediaType range : accepted) {
			if (range.includes(this.mediaType) && specificity(range) >= named) {
				quality = (specificity(range) > named) ? range.getQualityValue()
						: Math.max(quality, range.getQualityValue());
				named = specificity(range);
			}
		}
		return (quality > 0) ? quality + named / 10_000.0 : 0;
	}

	private static int specificity(MediaType range) {
		return range.isWildcardType() ? 0 : range.isWildcardSubtype() ? 1 : 2;
	}

	private static List<MediaType> accepted(HttpHeaders headers) {
		try {
			return headers.getAccept();
		}
		catch (InvalidMediaTypeException _) {
			return List.of();
		}
	}

}
