/**
 * The auto-configuration of the clients of Quorate: properties, connection details, and
 * one bean for each kind of client.
 */
@NullMarked
package io.quorate.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
