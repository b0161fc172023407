package io.github.latencybudget.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A figure with two axes, as places in it.
 *
 * @param description what is drawn, for those who do not see it
 * @param note what the reader has to know beside it; empty where there is nothing
 */
record Plot(
        String title,
        String description,
        String note,
        String xLabel,
        String yLabel,
        List<Axis.Tick> xTicks,
        List<Axis.Tick> yTicks,
        List<Line> lines,
        List<Dot> dots,
        List<LineLabel> labels,
        List<Key> keys) {

    static final double LEFT = 48;
    static final double RIGHT = 410;
    static final double TOP = 14;
    static final double BOTTOM = 180;

    private static final double LABEL_HEIGHT = 12;

    /** A path, in the path syntax of SVG. */
    record Line(String style, String path) {}

    /** A point. */
    record Dot(String style, String x, String y) {}

    /** A text beside a line. */
    record LineLabel(String x, String y, String text) {}

    /** An entry of the legend. */
    record Key(String style, String text) {}

    /** Draws a line through points, lifting the pen where it is told to. */
    static final class Pen {

        private final StringBuilder path = new StringBuilder();
        private boolean isDown;

        Pen to(String x, String y) {
            path.append(isDown ? "L" : "M").append(x).append(' ').append(y);
            isDown = true;
            return this;
        }

        Pen up() {
            isDown = false;
            return this;
        }

        String path() {
            return path.toString();
        }
    }

    /** {@return labels at the right edge, each beside its line but never on top of another} */
    static List<LineLabel> atTheRight(List<Double> places, List<String> texts) {
        List<Integer> byPlace = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            byPlace.add(i);
        }
        byPlace.sort(Comparator.comparing(places::get));
        List<LineLabel> labels = new ArrayList<>();
        double free = 0;
        for (int i : byPlace) {
            double y = Math.max(free, places.get(i) + LABEL_HEIGHT / 3);
            free = y + LABEL_HEIGHT;
            labels.add(new LineLabel(Axis.text(RIGHT + 4), Axis.text(y), texts.get(i)));
        }
        return labels;
    }
}
