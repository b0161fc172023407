package io.github.latencybudget.openai;

import java.util.Locale;

/**
 * Takes a {@code text/event-stream} apart, wherever its bytes are cut (WHATWG HTML, section 9.2.6). Keeps no byte of an event:
 * what belongs to its data is passed on at once. An event that the end of the stream cuts off is none.
 */
final class EventStream {

    private static final byte[] DATA = {'d', 'a', 't', 'a'};
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final Events events;
    private final int mostBytes;
    private int part = Part.START;
    private int matched;
    private boolean afterCr;
    private boolean hasData;
    private int bytesOfEvent;

    /** Takes what an event holds. */
    interface Events {

        /** Bytes of the data of the present event, the line feeds between its lines included. */
        void data(byte[] bytes, int from, int to) throws AnswerFault;

        /** The present event is complete. */
        void end() throws AnswerFault;
    }

    /** Of a line. Numbers, since to store a reference costs the collector's barrier each time. */
    private static final class Part {
        static final int START = 0;
        static final int LINE_START = 1;
        static final int NAME = 2;
        static final int VALUE_START = 3;
        static final int VALUE = 4;
        static final int IGNORED = 5;
    }

    /** @param mostBytes of one event, comments before it included; a longer one is refused */
    EventStream(Events events, int mostBytes) {
        this.events = events;
        this.mostBytes = mostBytes;
    }

    /** @throws AnswerFault where an event is too long, or whoever takes it finds a fault */
    void feed(byte[] bytes, int from, int to) throws AnswerFault {
        int i = from;
        while (i < to) {
            if (afterCr) {
                afterCr = false;
                if (bytes[i] == '\n') {
                    i++;
                    continue;
                }
            }
            int end = lineEnd(bytes, i, to);
            if (end > i) {
                count(end - i);
                line(bytes, i, end);
            }
            if (end < to) {
                afterCr = bytes[end] == '\r';
                lineEnded();
                end++;
            }
            i = end;
        }
    }

    private static int lineEnd(byte[] bytes, int from, int to) {
        int i = EightBytes.withoutLineEnd(bytes, from, to);
        while (i < to && bytes[i] != '\n' && bytes[i] != '\r') {
            i++;
        }
        return i;
    }

    private void count(int bytes) throws AnswerFault {
        bytesOfEvent += bytes;
        if (bytesOfEvent > mostBytes) {
            throw new AnswerFault(String.format(
                    Locale.ROOT,
                    "one event is longer than %d bytes: a token comes in some hundred; see what the server sends",
                    mostBytes));
        }
    }

    private void line(byte[] bytes, int from, int to) throws AnswerFault {
        int i = from;
        while (i < to) {
            switch (part) {
                case Part.START -> i = byteOrderMark(bytes, i);
                case Part.LINE_START -> {
                    matched = 0;
                    part = bytes[i] == ':' ? Part.IGNORED : Part.NAME;
                }
                case Part.NAME -> i = name(bytes, i, to);
                case Part.VALUE_START -> {
                    part = Part.VALUE;
                    if (bytes[i] == ' ') {
                        i++;
                    }
                }
                case Part.VALUE -> {
                    events.data(bytes, i, to);
                    return;
                }
                case Part.IGNORED -> {
                    return;
                }
            }
        }
    }

    private int byteOrderMark(byte[] bytes, int i) {
        if (bytes[i] == BYTE_ORDER_MARK[matched]) {
            matched++;
            if (matched == BYTE_ORDER_MARK.length) {
                part = Part.LINE_START;
            }
            return i + 1;
        }
        // What only begins like one is a field name that there is not.
        part = matched == 0 ? Part.LINE_START : Part.IGNORED;
        return i;
    }

    private int name(byte[] bytes, int from, int to) throws AnswerFault {
        int i = from;
        while (i < to && matched < DATA.length) {
            if (bytes[i] != DATA[matched]) {
                part = Part.IGNORED;
                return i;
            }
            matched++;
            i++;
        }
        if (i < to) {
            boolean isData = bytes[i] == ':';
            part = isData ? Part.VALUE_START : Part.IGNORED;
            if (isData) {
                startData();
            }
            i++;
        }
        return i;
    }

    private static final byte[] LINE_FEED = {'\n'};

    private void startData() throws AnswerFault {
        if (hasData) {
            events.data(LINE_FEED, 0, 1);
        }
        hasData = true;
    }

    private void lineEnded() throws AnswerFault {
        boolean isBlank = part == Part.LINE_START || part == Part.START && matched == 0;
        if (part == Part.NAME && matched == DATA.length) {
            // A field without a colon has an empty value.
            startData();
        }
        part = Part.LINE_START;
        if (isBlank) {
            bytesOfEvent = 0;
            if (hasData) {
                hasData = false;
                events.end();
            }
        }
    }
}
