package io.github.latencybudget.report;

import java.nio.file.Path;

/**
 * Where files are, as seen from the report.
 *
 * @param folder where the report is
 */
record Links(Path folder) {

    /** {@return the file relative to the report where both are on one disk, with slashes} */
    String to(Path file) {
        Path from = folder.toAbsolutePath().normalize();
        Path to = file.toAbsolutePath().normalize();
        boolean isOnOneDisk = from.getRoot() != null && from.getRoot().equals(to.getRoot());
        return (isOnOneDisk ? from.relativize(to) : to).toString().replace('\\', '/');
    }
}
