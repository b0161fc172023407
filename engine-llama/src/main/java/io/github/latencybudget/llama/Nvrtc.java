package io.github.latencybudget.llama;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** NVIDIA's compiler of CUDA C at run time, which comes with PyTorch's libraries. Needs no GPU. */
final class Nvrtc {

    private final NativeLibrary library;

    /** What the library loads by name when it compiles; kept, for JNA unloads what nobody refers to. */
    private final NativeLibrary builtins;

    private Nvrtc(NativeLibrary library, NativeLibrary builtins) {
        this.library = library;
        this.builtins = builtins;
    }

    /** @throws EngineFailure where this process has no PyTorch for CUDA with a compiler */
    static Nvrtc open() {
        Path cuda = LoadedLibraries.find("libc10_cuda\\.so")
                .orElseThrow(() -> new EngineFailure("PyTorch's library c10_cuda is not found in this process", null));
        return open(cuda.resolveSibling(""));
    }

    /**
     * @param folder where PyTorch's libraries are
     * @throws EngineFailure where there is no compiler
     */
    static Nvrtc open(Path folder) {
        try {
            // NVRTC looks for this one by a name that the file may not have; once loaded, it is known by that name
            NativeLibrary builtins =
                    NativeLibrary.getInstance(find(folder, "libnvrtc-builtins").toString());
            NativeLibrary library = NativeLibrary.getInstance(
                    find(folder, "libnvrtc(-[0-9a-f]{8})?").toString());
            return new Nvrtc(library, builtins);
        } catch (IOException | UnsatisfiedLinkError e) {
            throw new EngineFailure("NVIDIA's compiler NVRTC could not be loaded", e);
        }
    }

    private static Path find(Path folder, String name) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(name + "\\.so.*"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no " + name + " in " + folder));
        }
    }

    /**
     * {@return PTX, to be loaded by the driver}
     *
     * @throws EngineFailure where the text is not accepted: has the compiler's first line
     */
    Memory compile(String text, List<String> options) {
        Pointer program = create(text);
        try {
            StringArray array = new StringArray(options.toArray(String[]::new));
            int result = result("nvrtcCompileProgram", program, options.size(), array);
            if (result != 0) {
                String log = output(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
                        .getString(0, StandardCharsets.UTF_8.name());
                throw new EngineFailure(
                        String.format(
                                Locale.ROOT,
                                "NVRTC gave error %d, %s",
                                result,
                                log.lines().findFirst().orElse("no reason given")),
                        null);
            }
            return output(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
        } finally {
            call("nvrtcDestroyProgram", new PointerByReference(program));
            Reference.reachabilityFence(builtins);
        }
    }

    private Pointer create(String text) {
        PointerByReference program = new PointerByReference();
        call("nvrtcCreateProgram", program, text, "decode.cu", 0, Pointer.NULL, Pointer.NULL);
        return program.getValue();
    }

    private Memory output(Pointer program, String size, String content) {
        LongByReference bytes = new LongByReference();
        call(size, program, bytes);
        Memory memory = new Memory(bytes.getValue());
        call(content, program, memory);
        return memory;
    }

    private void call(String function, Object... arguments) {
        int result = result(function, arguments);
        if (result != 0) {
            throw new EngineFailure(String.format(Locale.ROOT, "%s gave error %d", function, result), null);
        }
    }

    private int result(String function, Object... arguments) {
        return library.getFunction(function).invokeInt(arguments);
    }
}
