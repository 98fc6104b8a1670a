/**
 * The pages for people, and the document of the API: files that the program brings along,
 * read once. They load nothing from elsewhere. Rests on {@code entity}.
 */
@NullMarked
package io.quorate.api.page;

import org.jspecify.annotations.NullMarked;
