package io.quorate.spring.boot.config;

import org.springframework.boot.context.config.ConfigDataException;

/** The error of an import that no node has answered, or whose values are wrong. */
final class ConfigImportException extends ConfigDataException {

	private static final long serialVersionUID = 1;

	ConfigImportException(QuorateConfigDataResource resource, Exception cause) {
		super("The configuration " + resource + " was not read: " + cause.getMessage(), cause);
	}

}
