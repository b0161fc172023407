package io.github.latencybudget.openai;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fields of an event in its JSON (RFC 8259), wherever its bytes are cut. Allocates nothing: a value is counted, or kept
 * where it is short, and everything else is only checked.
 */
final class JsonScanner {

    /** Deeper than any event; a bound, so that no answer takes memory by its depth. */
    private static final int MOST_DEPTH = 64;

    private static final int MOST_KEY_BYTES = 64;
    private static final Field.Node ROOT = Field.tree();

    private final Values values;
    private final JsonString string;
    private final JsonNumber number = new JsonNumber();
    private final Field.@Nullable Node[] places = new Field.Node[MOST_DEPTH + 1];
    private final byte[] key = new byte[MOST_KEY_BYTES];
    private final boolean[] isArray = new boolean[MOST_DEPTH + 1];
    private int keyLength;
    private int depth;
    private int expect = Expect.VALUE;
    private Field.@Nullable Node place;
    private byte[] literal = {};
    private int literalMatched;

    /** Takes the values of the fields. */
    interface Values {

        /** Some bytes of a string, its escapes resolved. */
        void text(Field field, byte[] bytes, int from, int to);

        /** A string is complete. */
        void textEnd(Field field);

        /** A whole number, or the whole part of one. */
        void number(Field field, double value);

        /** An object or an array begins here. */
        void structure(Field field);
    }

    /** What may come next. Numbers, since to store a reference at every byte costs the collector's barrier each time. */
    private static final class Expect {
        static final int VALUE = 0;
        static final int FIRST_ELEMENT = 1;
        static final int FIRST_KEY = 2;
        static final int KEY = 3;
        static final int COLON = 4;
        static final int COMMA = 5;
        static final int IN_KEY = 6;
        static final int IN_STRING = 7;
        static final int IN_NUMBER = 8;
        static final int IN_LITERAL = 9;
        static final int NOTHING = 10;
    }

    private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
    private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};
    private static final byte[] NULL = {'n', 'u', 'l', 'l'};

    JsonScanner(Values values) {
        this.values = values;
        this.string = new JsonString(this::stringBytes);
        reset();
    }

    /** Forgets what came, for the next event. */
    void reset() {
        depth = 0;
        expect = Expect.VALUE;
        place = ROOT;
    }

    /** @throws AnswerFault where the bytes are no JSON */
    void feed(byte[] bytes, int from, int to) throws AnswerFault {
        int i = from;
        while (i < to) {
            switch (expect) {
                case Expect.IN_STRING, Expect.IN_KEY -> {
                    i = string.feed(bytes, i, to);
                    if (string.isOver()) {
                        stringEnded();
                    }
                }
                case Expect.IN_NUMBER -> {
                    i = number.feed(bytes, i, to);
                    if (number.isOver()) {
                        numberEnded();
                    }
                }
                case Expect.IN_LITERAL -> i = literal(bytes, i, to);
                default -> {
                    byte b = bytes[i++];
                    if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                        structural(b);
                    }
                }
            }
        }
    }

    /** @throws AnswerFault where the JSON is not complete */
    void end() throws AnswerFault {
        if (expect == Expect.IN_NUMBER && depth == 0) {
            numberEnded();
        }
        if (expect != Expect.NOTHING) {
            throw notJson("it ends too early");
        }
    }

    private void structural(byte b) throws AnswerFault {
        switch (expect) {
            case Expect.VALUE -> value(b);
            case Expect.FIRST_ELEMENT -> {
                if (b == ']') {
                    close();
                } else {
                    value(b);
                }
            }
            case Expect.FIRST_KEY, Expect.KEY -> {
                if (b == '"') {
                    keyLength = 0;
                    string.start();
                    expect = Expect.IN_KEY;
                } else if (b == '}' && expect == Expect.FIRST_KEY) {
                    close();
                } else {
                    throw unexpected(b);
                }
            }
            case Expect.COLON -> {
                if (b != ':') {
                    throw unexpected(b);
                }
                expect = Expect.VALUE;
            }
            case Expect.COMMA -> comma(b);
            default -> throw unexpected(b);
        }
    }

    private void comma(byte b) throws AnswerFault {
        if (b == (isArray[depth] ? ']' : '}')) {
            close();
        } else if (b != ',') {
            throw unexpected(b);
        } else if (isArray[depth]) {
            place = elementOf(places[depth]);
            expect = Expect.VALUE;
        } else {
            expect = Expect.KEY;
        }
    }

    private void value(byte b) throws AnswerFault {
        switch (b) {
            case '{' -> open(false);
            case '[' -> open(true);
            case '"' -> {
                string.start();
                expect = Expect.IN_STRING;
            }
            case 't' -> startLiteral(TRUE);
            case 'f' -> startLiteral(FALSE);
            case 'n' -> startLiteral(NULL);
            default -> {
                if (b != '-' && (b < '0' || b > '9')) {
                    throw unexpected(b);
                }
                number.start(b);
                expect = Expect.IN_NUMBER;
            }
        }
    }

    private void open(boolean array) throws AnswerFault {
        if (depth == MOST_DEPTH) {
            throw notJson(String.format(Locale.ROOT, "it is nested deeper than %d", MOST_DEPTH));
        }
        Field field = field();
        if (field != null) {
            values.structure(field);
        }
        depth++;
        places[depth] = place;
        isArray[depth] = array;
        if (array) {
            place = elementOf(place);
        }
        expect = array ? Expect.FIRST_ELEMENT : Expect.FIRST_KEY;
    }

    private static Field.@Nullable Node elementOf(Field.@Nullable Node array) {
        return array == null ? null : array.element();
    }

    private void close() {
        depth--;
        valueEnded();
    }

    private void valueEnded() {
        expect = depth == 0 ? Expect.NOTHING : Expect.COMMA;
    }

    private @Nullable Field field() {
        return place == null ? null : place.field();
    }

    private void stringBytes(byte[] bytes, int from, int to) {
        if (expect == Expect.IN_KEY) {
            int length = Math.min(to - from, key.length - keyLength);
            System.arraycopy(bytes, from, key, keyLength, length);
            // One that is longer than all known ones is cut, and stays longer.
            keyLength += length;
            return;
        }
        Field field = field();
        if (field != null) {
            values.text(field, bytes, from, to);
        }
    }

    private void stringEnded() {
        if (expect == Expect.IN_KEY) {
            Field.Node around = places[depth];
            place = around == null || keyLength == 0 ? null : around.child(key, keyLength);
            expect = Expect.COLON;
            return;
        }
        Field field = field();
        if (field != null) {
            values.textEnd(field);
        }
        valueEnded();
    }

    private void numberEnded() throws AnswerFault {
        if (!number.isValid()) {
            throw notJson("a number is malformed");
        }
        Field field = field();
        if (field != null) {
            values.number(field, number.value());
        }
        valueEnded();
    }

    private void startLiteral(byte[] of) {
        literal = of;
        literalMatched = 1;
        expect = Expect.IN_LITERAL;
    }

    private int literal(byte[] bytes, int from, int to) throws AnswerFault {
        int length = Math.min(to - from, literal.length - literalMatched);
        if (!Arrays.equals(bytes, from, from + length, literal, literalMatched, literalMatched + length)) {
            throw notJson("a word in it is neither true, false nor null");
        }
        literalMatched += length;
        if (literalMatched == literal.length) {
            valueEnded();
        }
        return from + length;
    }

    private static AnswerFault unexpected(byte b) {
        return notJson(
                b > ' '
                        ? String.format(Locale.ROOT, "'%c' is not expected there", b)
                        : String.format(Locale.ROOT, "byte %d is not expected there", b & 0xFF));
    }

    static AnswerFault notJson(String why) {
        return new AnswerFault(
                String.format(Locale.ROOT, "an event is not valid JSON (%s): see what the server sends", why));
    }
}
