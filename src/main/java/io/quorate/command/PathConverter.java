package io.quorate.command;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A path of the file system. */
final class PathConverter implements ITypeConverter<Path> {

	@Override
	public Path convert(String text) {
		try {
			if (!text.isEmpty()) {
				return Path.of(text);
			}
		}
		catch (InvalidPathException wrong) {
			throw new TypeConversionException("'" + text + "' is no path");
		}
		throw new TypeConversionException("a path is not empty");
	}

}
