package io.quorate.api;

import io.quorate.coordinator.Admission;
import io.quorate.entry.Value;

/**
 * A request's body, wholly read.
 *
 * @param value its bytes
 * @param permit what admits them; whoever takes the body closes it
 */
record Body(Value value, Admission.Permit permit) {
}
