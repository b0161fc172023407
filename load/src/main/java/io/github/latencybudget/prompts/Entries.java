package io.github.latencybudget.prompts;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.latencybudget.load.Dialogue;
import io.github.latencybudget.trace.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** The entries of a file, one after the other: JSON objects each by itself, as JSON Lines has them, or in one array. */
final class Entries {

    private static final JsonMapper JSON = JsonMapper.builder()
            // A message of the parser would show what it stumbled over.
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION, StreamReadFeature.AUTO_CLOSE_SOURCE)
            .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String name;
    private final InputStream bytes;
    private int line = 1;

    Entries(String name, InputStream bytes) {
        this.name = name;
        this.bytes = bytes;
    }

    /** {@return how many entries have nothing to send} The others are told. */
    int forEach(Consumer<Dialogue> dialogues) throws IOException {
        int passedOver = 0;
        try (JsonParser parser = JSON.createParser(new InputStreamReader(
                Utf8.withoutMark(bytes),
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT)))) {
            JsonToken token = parser.nextToken();
            boolean isArray = token == JsonToken.START_ARRAY;
            token = isArray ? parser.nextToken() : token;
            while (token != null && !(isArray && token == JsonToken.END_ARRAY)) {
                Optional<Dialogue> dialogue = entry(parser, token);
                dialogue.ifPresent(dialogues);
                passedOver += dialogue.isEmpty() ? 1 : 0;
                token = parser.nextToken();
            }
            if (isArray && parser.nextToken() != null) {
                line = parser.currentTokenLocation().getLineNr();
                throw wrong("something comes after the end of the list; put all entries into one");
            }
        } catch (Utf8.Fault e) {
            throw e;
        } catch (CharacterCodingException e) {
            throw new PromptFileException(
                    String.format(Locale.ROOT, "%s is not UTF-8 after line %d; save it as UTF-8", name, line), e);
        } catch (JacksonException e) {
            throw damaged(e);
        }
        return passedOver;
    }

    private Optional<Dialogue> entry(JsonParser parser, JsonToken token) throws IOException {
        line = parser.currentTokenLocation().getLineNr();
        if (token != JsonToken.START_OBJECT) {
            throw wrong("this is no JSON object; write each prompt as one, such as {\"promptTokens\": 512}");
        }
        JsonNode entry = JSON.readTree(parser);
        return new Entry(entry, this::wrong).dialogue();
    }

    private PromptFileException damaged(JacksonException e) {
        int at = e.getLocation() == null ? line : Math.max(line, e.getLocation().getLineNr());
        // The parser's own message has a part of the text, so neither it nor the exception is passed on.
        return new PromptFileException(String.format(
                Locale.ROOT, "%s:%d: this is no JSON, or breaks off; correct it, or take the entry out", name, at));
    }

    private PromptFileException wrong(String what) {
        return new PromptFileException(String.format(Locale.ROOT, "%s:%d: %s", name, line, what));
    }
}
