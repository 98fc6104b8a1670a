package io.quorate.api;

import io.quorate.coordinator.Admission;
import io.quorate.entry.Value;

/**
 * A request's whole body.
 *
 * @param value its bytes
 * @param permit the permit for these bytes; the receiver of the body closes it
 */
record Body(Value value, Admission.Permit permit) {
}
