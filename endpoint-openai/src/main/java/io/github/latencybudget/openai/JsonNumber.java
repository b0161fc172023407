package io.github.latencybudget.openai;

import java.nio.charset.StandardCharsets;

/** A number of JSON (RFC 8259, section 6), wherever its bytes are cut. One that is a whole number is read without allocating. */
final class JsonNumber {

    private static final int MOST_BYTES = 64;
    private static final int MOST_WHOLE_DIGITS = 15;

    private final byte[] digits = new byte[MOST_BYTES];
    private int length;
    private boolean isOver;
    private boolean isTooLong;

    void start(byte first) {
        isOver = false;
        isTooLong = false;
        digits[0] = first;
        length = 1;
    }

    boolean isOver() {
        return isOver;
    }

    /** {@return the first index that is not of the number} */
    int feed(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to) {
            byte b = bytes[i];
            boolean isPart = b >= '0' && b <= '9' || b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E';
            if (!isPart) {
                isOver = true;
                return i;
            }
            if (length == MOST_BYTES) {
                isTooLong = true;
            } else {
                digits[length++] = b;
            }
            i++;
        }
        return i;
    }

    /** {@return whether the bytes are a number, and one that can be told from its neighbours} */
    boolean isValid() {
        int i = digits[0] == '-' ? 1 : 0;
        int whole = digitsFrom(i);
        if (isTooLong || whole == 0 || (whole > 1 && digits[i] == '0')) {
            return false;
        }
        i += whole;
        if (i < length && digits[i] == '.') {
            int fraction = digitsFrom(i + 1);
            if (fraction == 0) {
                return false;
            }
            i += 1 + fraction;
        }
        if (i < length && (digits[i] | 0x20) == 'e') {
            i += i + 1 < length && (digits[i + 1] == '+' || digits[i + 1] == '-') ? 2 : 1;
            int exponent = digitsFrom(i);
            if (exponent == 0) {
                return false;
            }
            i += exponent;
        }
        return i == length;
    }

    private int digitsFrom(int from) {
        int i = from;
        while (i < length && digits[i] >= '0' && digits[i] <= '9') {
            i++;
        }
        return i - from;
    }

    /** {@return its value, where it is valid} */
    double value() {
        int first = digits[0] == '-' ? 1 : 0;
        int whole = digitsFrom(first);
        if (first + whole < length || whole > MOST_WHOLE_DIGITS) {
            return Double.parseDouble(new String(digits, 0, length, StandardCharsets.US_ASCII));
        }
        long value = 0;
        for (int i = first; i < length; i++) {
            value = 10 * value + digits[i] - '0';
        }
        return first == 1 ? -value : value;
    }
}
