package io.quorate.client;

import java.io.Serializable;

/**
 * The answer of one replica, in one word: {@code ack}, {@code timeout},
 * {@code disconnected} and so on.
 *
 * @param node the name of the node that has the replica
 * @param said the word
 */
public record ReplicaAnswer(String node, String said) implements Serializable {
}
