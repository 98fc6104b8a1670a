package io.quorate.api.body;

import io.quorate.coordinator.Admission;
import io.quorate.entry.Value;

/**
 * A request's whole body. Its bytes count in the room until the permit is closed.
 *
 * @param value its bytes
 * @param permit the permit for these bytes; the receiver of the body closes it
 */
public record Body(Value value, Admission.Permit permit) {
}
