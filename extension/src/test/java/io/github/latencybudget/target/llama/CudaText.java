package io.github.latencybudget.target.llama;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Compiles CUDA C at run time with the NVRTC library that comes with PyTorch. Needs no GPU. */
final class CudaText {

    private final NativeLibrary nvrtc;

    private CudaText(NativeLibrary nvrtc) {
        this.nvrtc = nvrtc;
    }

    /** @param folder where PyTorch's libraries are */
    static CudaText open(Path folder) throws IOException {
        // NVRTC looks for this one by a name that the file does not have; once loaded, it is known by that name
        NativeLibrary.getInstance(find(folder, "libnvrtc-builtins").toString());
        return new CudaText(
                NativeLibrary.getInstance(find(folder, "libnvrtc-[0-9a-f]{8}").toString()));
    }

    private static Path find(Path folder, String name) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(name + "\\.so.*"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no " + name + " in " + folder));
        }
    }

    /** {@return PTX, to be loaded by the driver} */
    Memory compile(String text, List<String> options) {
        PointerByReference program = new PointerByReference();
        check(nvrtc.getFunction("nvrtcCreateProgram")
                .invokeInt(new Object[] {program, text, "kernels.cu", 0, Pointer.NULL, Pointer.NULL}));
        Pointer p = program.getValue();
        StringArray array = new StringArray(options.toArray(String[]::new));
        int result = nvrtc.getFunction("nvrtcCompileProgram").invokeInt(new Object[] {p, options.size(), array});
        if (result != 0) {
            throw new IllegalStateException(output(p, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
                    .getString(0, StandardCharsets.UTF_8.name()));
        }
        Memory ptx = output(p, "nvrtcGetPTXSize", "nvrtcGetPTX");
        check(nvrtc.getFunction("nvrtcDestroyProgram").invokeInt(new Object[] {program}));
        return ptx;
    }

    private Memory output(Pointer program, String size, String content) {
        LongByReference bytes = new LongByReference();
        check(nvrtc.getFunction(size).invokeInt(new Object[] {program, bytes}));
        Memory memory = new Memory(bytes.getValue());
        check(nvrtc.getFunction(content).invokeInt(new Object[] {program, memory}));
        return memory;
    }

    private static void check(int result) {
        if (result != 0) {
            throw new IllegalStateException("NVRTC gave error " + result);
        }
    }
}
