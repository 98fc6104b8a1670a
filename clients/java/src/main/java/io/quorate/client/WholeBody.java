package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** A receiver that collects the whole body of an answer, up to a bound. */
final class WholeBody implements AnswerSink {

	private final int largest;

	private final Consumer<Answer> onAnswer;

	private final BiConsumer<Exception, @Nullable Answer> onFailure;

	private final ByteArrayOutputStream body = new ByteArrayOutputStream();

	private @Nullable Answer head;

	/**
	 * Creates a receiver.
	 * @param largest the most bytes of an answer that is no problem
	 * @param onAnswer the receiver of the answer
	 * @param onFailure the receiver of a failure, with as much of the answer as came
	 */
	WholeBody(int largest, Consumer<Answer> onAnswer, BiConsumer<Exception, @Nullable Answer> onFailure) {
		this.largest = largest;
		this.onAnswer = onAnswer;
		this.onFailure = onFailure;
	}

	@Override
	public void head(Answer answer) {
		this.head = answer;
	}

	@Override
	public boolean bytes(ByteBuffer bytes) {
		Answer answer = present();
		boolean isProblem = answer.status() >= 400;
		long size = (long) this.body.size() + bytes.remaining();
		if (isProblem && size > Problems.MOST_BYTES) {
			throw answer.invalid("that is no problem document");
		}
		if (!isProblem && size > this.largest) {
			throw new AnswerTooLargeException(
					answer.node() + ": the answer is larger than maxAnswerSize, " + this.largest + " bytes", null);
		}
		byte[] piece = new byte[bytes.remaining()];
		bytes.get(piece);
		this.body.writeBytes(piece);
		return true;
	}

	@Override
	public void end() {
		this.onAnswer.accept(present().withBody(this.body.toByteArray()));
	}

	@Override
	public void failed(Exception failure) {
		this.onFailure.accept(failure, (this.head != null) ? this.head.withBody(this.body.toByteArray()) : null);
	}

	private Answer present() {
		if (this.head == null) {
			throw new IllegalStateException("a body without a head");
		}
		return this.head;
	}

}
