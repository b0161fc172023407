package io.github.latencybudget.load;

/** How an open loop waits for the next request to be due. */
interface Pause {

    /**
     * Returns at the time, or once there was a signal since the last return, or the thread is interrupted.
     *
     * @param nanos the time, of the session's clock
     */
    void until(long nanos);

    /** Returns once there was a signal since the last return, or the thread is interrupted. */
    void untilSignalled();

    /** Ends a wait, now or at once when it begins; from any thread. */
    void signal();
}
