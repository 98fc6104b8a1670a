package io.quorate.entry;

/**
 * The key by which a client may repeat a conditional write whose answer it has not got,
 * so that it takes effect at most once. Of keys and requests only hashes are kept: two
 * keys of one register are mixed up once in 2^64.
 *
 * @param key hash of the client's name and of the key that it has chosen
 * @param request hash of all that the request asks for
 */
public record IdempotencyKey(long key, long request) {
}
