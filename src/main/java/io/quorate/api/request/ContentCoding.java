package io.quorate.api.request;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import org.springframework.http.HttpHeaders;

/**
 * The header {@code Content-Encoding} of a body. A value is kept without it, and the
 * reader would take coded bytes for what the media type says.
 */
public final class ContentCoding {

	private static final String IDENTITY = "identity";

	private ContentCoding() {
	}

	/**
	 * Requires that a body stands for itself.
	 * @throws ProblemException 415 when it is coded
	 */
	public static void refuse(HttpHeaders headers) {
		for (String list : headers.getOrEmpty(HttpHeaders.CONTENT_ENCODING)) {
			for (String coding : list.split(",", -1)) {
				if (!coding.isBlank() && !coding.strip().equalsIgnoreCase(IDENTITY)) {
					throw new ProblemException(Problem
						.of(ProblemType.CONTENT_CODING,
								"the body has a Content-Encoding, which this node does not keep: send it as it is, "
										+ "or name what it is in Content-Type, such as application/gzip")
						.withHeader(HttpHeaders.ACCEPT_ENCODING, IDENTITY));
				}
			}
		}
	}

}
