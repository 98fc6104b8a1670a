package io.quorate.client;

/** The outcome of a conditional read. */
public sealed interface ReadResult extends ItemResult permits Entity, NotModified, NoValue {

}
