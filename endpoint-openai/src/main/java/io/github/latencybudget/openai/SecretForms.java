package io.github.latencybudget.openai;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Finds secrets in a text, however it is encoded. */
final class SecretForms {

    /** A part of a secret of this length is as good as the secret, and is in no other text by chance. */
    private static final int RUN = 8;

    /** Shorter ones are part of ordinary words. */
    private static final int LEAST_LENGTH = 4;

    /** An escape may be escaped again each time that a text is handed on. */
    private static final int MOST_ROUNDS = 16;

    private static final int MOST_BASE64 = 3;

    private final Set<String> runs = new HashSet<>();
    private final Set<String> shortOnes = new HashSet<>();

    SecretForms(Collection<String> secrets) {
        for (String secret : secrets) {
            if (secret.length() < LEAST_LENGTH) {
                continue;
            }
            DecodedText form = DecodedText.of(secret);
            for (int round = 0; round < MOST_ROUNDS; round++) {
                add(form.folded());
                add(form.withoutPlus().folded());
                form = form.decoded();
            }
            // In capitals, Base64 can no longer be decoded.
            Stream.of(secret, secret.toUpperCase(Locale.ROOT), secret.toLowerCase(Locale.ROOT))
                    .forEach(this::addBase64);
        }
    }

    private void add(String form) {
        if (form.length() >= LEAST_LENGTH && form.length() < RUN) {
            shortOnes.add(form);
        }
        for (int i = 0; i + RUN <= form.length(); i++) {
            runs.add(form.substring(i, i + RUN));
        }
    }

    /** What stands before the secret, such as a user, decides which of three ways its bits are cut. */
    private void addBase64(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        for (int before = 0; before < 3; before++) {
            byte[] shifted = new byte[before + bytes.length];
            System.arraycopy(bytes, 0, shifted, before, bytes.length);
            for (Base64.Encoder encoder : new Base64.Encoder[] {Base64.getEncoder(), Base64.getUrlEncoder()}) {
                String encoded = encoder.withoutPadding().encodeToString(shifted);
                String own = DecodedText.of(encoded.substring(before == 0 ? 0 : before + 1))
                        .folded();
                add(own);
                // The last character has bits of what follows, where something does.
                add(own.substring(0, own.length() - (shifted.length % 3 == 0 ? 0 : 1)));
            }
        }
    }

    /** {@return the characters of a text that are part of a secret} */
    BitSet in(String text) {
        BitSet found = new BitSet(text.length());
        if (!runs.isEmpty() || !shortOnes.isEmpty()) {
            find(DecodedText.of(text), MOST_BASE64, found);
        }
        return found;
    }

    private void find(DecodedText text, int mostBase64, BitSet found) {
        DecodedText form = text;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            compare(form, found);
            compare(form.withoutPlus(), found);
            if (mostBase64 > 0) {
                form.fromBase64().forEach(inside -> find(inside, mostBase64 - 1, found));
            }
            DecodedText next = form.decoded();
            if (next.length() == form.length()) {
                return;
            }
            form = next;
        }
    }

    private void compare(DecodedText form, BitSet found) {
        String folded = form.folded();
        for (int i = 0; i + RUN <= folded.length(); i++) {
            if (runs.contains(folded.substring(i, i + RUN))) {
                found.set(form.from(i), form.to(i + RUN - 1));
            }
        }
        for (String one : shortOnes) {
            for (int i = folded.indexOf(one); i >= 0; i = folded.indexOf(one, i + 1)) {
                found.set(form.from(i), form.to(i + one.length() - 1));
            }
        }
    }
}
