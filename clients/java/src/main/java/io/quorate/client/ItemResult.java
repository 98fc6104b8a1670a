package io.quorate.client;

/** The outcome of one item of a batch. */
public sealed interface ItemResult permits Written, ReadResult, FailedItem {

}
