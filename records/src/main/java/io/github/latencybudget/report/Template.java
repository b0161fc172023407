package io.github.latencybudget.report;

import com.github.mustachejava.DefaultMustacheFactory;
import com.github.mustachejava.MustacheException;
import com.github.mustachejava.MustacheFactory;
import io.github.latencybudget.trace.Visible;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Fills the templates. Every value is escaped for the format that it goes into. */
enum Template {
    /** Text between tags and in quoted attributes. */
    HTML(new DefaultMustacheFactory(Template::open) {
        @Override
        public void encode(String value, Writer writer) {
            super.encode(Visible.line(value), writer);
        }
    }),

    /** Text within a line of GitHub-flavoured Markdown, table cells included. */
    MARKDOWN(new DefaultMustacheFactory(Template::open) {
        @Override
        public void encode(String value, Writer writer) {
            try {
                writer.write(markdown(Visible.line(value)));
            } catch (IOException e) {
                throw new MustacheException("cannot write a value", e);
            }
        }
    });

    private final MustacheFactory factory;

    Template(MustacheFactory factory) {
        this.factory = factory;
    }

    String render(String name, Object view) throws IOException {
        StringWriter text = new StringWriter();
        factory.compile(name).execute(text, view).flush();
        return text.toString();
    }

    /** Not the thread's class loader, which need not know this project. */
    private static @Nullable Reader open(String name) {
        return new InputStreamReader(
                Objects.requireNonNull(Template.class.getResourceAsStream(name), name), StandardCharsets.UTF_8);
    }

    private static String markdown(String value) {
        return value.replaceAll("([\\\\`*_\\[\\]|~$])", "\\\\$1")
                .replace("://", "\\://")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
    }
}
