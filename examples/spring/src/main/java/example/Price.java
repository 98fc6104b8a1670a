package example;

/**
 * The price of a fruit, as it is cached.
 *
 * @param fruit the fruit
 * @param cents the price
 * @param process the process that has computed it
 */
public record Price(String fruit, int cents, long process) {
}
