package io.quorate.client;

/**
 * A refusal of a request with a wrong parameter or header. The detail of the problem says
 * the right form.
 */
public class BadRequestException extends RefusedException {

	BadRequestException(String message, Problem problem) {
		super(message, problem, null);
	}

}
