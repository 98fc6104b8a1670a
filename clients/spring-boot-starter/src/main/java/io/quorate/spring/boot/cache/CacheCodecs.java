package io.quorate.spring.boot.cache;

import io.quorate.client.Codec;

/**
 * The codecs of the caches. A bean of this type takes the place of the properties for
 * types.
 */
@FunctionalInterface
public interface CacheCodecs {

	/**
	 * Returns the codec of a cache, which is asked for once.
	 * @param cache the name of the cache
	 */
	Codec<Object> of(String cache);

}
