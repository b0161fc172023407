package io.github.latencybudget.llama;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Packs the text of a TorchScript class into the archive that libtorch loads: a zip with stored entries that holds the
 * text, and a pickle of an instance whose attributes are zero, false or empty. No tensor is in it; the program gets its
 * weights by calls.
 */
final class TorchScriptArchive {

    private static final Pattern CLASS = Pattern.compile("^class (\\w+)\\(Module\\):", Pattern.MULTILINE);
    private static final Pattern ATTRIBUTE = Pattern.compile("^  (\\w+) : (.+)$", Pattern.MULTILINE);

    private TorchScriptArchive() {}

    /**
     * @param program one class in the syntax of a saved TorchScript module; attributes of type {@code bool}, {@code int},
     *     {@code float}, {@code List[int]} and {@code List[Tensor]}
     * @return the archive's bytes
     */
    static byte[] pack(String program) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.setMethod(ZipOutputStream.STORED);
            store(zip, "data.pkl", instance(program));
            store(zip, "code/__torch__.py", program.getBytes(StandardCharsets.UTF_8));
            // protocol 2, an empty tuple, stop
            store(zip, "constants.pkl", new byte[] {(byte) 0x80, 2, ')', '.'});
            store(zip, "version", "10\n".getBytes(StandardCharsets.US_ASCII));
            store(zip, "byteorder", "little".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void store(ZipOutputStream zip, String name, byte[] content) throws IOException {
        ZipEntry entry = new ZipEntry("llama/" + name);
        CRC32 crc = new CRC32();
        crc.update(content);
        entry.setCrc(crc.getValue());
        entry.setSize(content.length);
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(content);
        zip.closeEntry();
    }

    private static byte[] instance(String program) {
        Matcher name = CLASS.matcher(program);
        if (!name.find()) {
            throw new IllegalArgumentException("the program declares no class");
        }
        Pickle pickle = new Pickle()
                .text("c__torch__\n" + name.group(1) + "\n)")
                .op(0x81)
                .text("}(");
        Matcher attribute = ATTRIBUTE.matcher(program);
        while (attribute.find()) {
            pickle.string(attribute.group(1)).zero(attribute.group(2));
        }
        return pickle.text("ub.").bytes.toByteArray();
    }

    /** The few operations of pickle protocol 2 that an instance needs. */
    private static final class Pickle {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Pickle() {
            op(0x80).op(2);
        }

        Pickle op(int code) {
            bytes.write(code);
            return this;
        }

        Pickle text(String codes) {
            bytes.writeBytes(codes.getBytes(StandardCharsets.US_ASCII));
            return this;
        }

        Pickle string(String value) {
            return text("X").op(value.length()).op(0).op(0).op(0).text(value);
        }

        Pickle zero(String type) {
            return switch (type) {
                case "bool" -> op(0x89);
                case "int" -> text("K").op(0);
                case "float" -> text("G").text("\0\0\0\0\0\0\0\0");
                case "List[int]" -> text("ctorch.jit._pickle\nbuild_intlist\n(](etR");
                case "List[Tensor]" -> text("ctorch.jit._pickle\nbuild_tensorlist\n(](etR");
                default -> throw new IllegalArgumentException("no zero is known for the type " + type);
            };
        }
    }
}
