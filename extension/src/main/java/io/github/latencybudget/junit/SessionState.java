package io.github.latencybudget.junit;

import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.engine.support.store.Namespace;
import org.junit.platform.engine.support.store.NamespacedHierarchicalStore;

/** What all gates of a launcher session share, whichever engine runs them; closed at its end. */
interface SessionState {

    /** {@return what is kept under a key, made where there is none yet} */
    <K, V> V getOrMake(K key, Function<K, V> make, Class<V> type);

    /**
     * {@return that of the session in which Jupiter runs a test}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException where JUnit is too old to have one
     */
    @SuppressWarnings("deprecation") // computeIfAbsent came with JUnit 6
    static SessionState of(ExtensionContext context) {
        if (JUnitVersion.isTooOld()) {
            throw JUnitVersion.problem();
        }
        ExtensionContext.Store store = context.getStore(
                ExtensionContext.StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.create(SessionState.class));
        return new SessionState() {
            @Override
            public <K, V> V getOrMake(K key, Function<K, V> make, Class<V> type) {
                return store.getOrComputeIfAbsent(key, make, type);
            }
        };
    }

    /** Stands in for one where JUnit is too old: whatever runs a gate fails with that. */
    static SessionState none() {
        return new SessionState() {
            @Override
            public <K, V> V getOrMake(K key, Function<K, V> make, Class<V> type) {
                throw JUnitVersion.problem();
            }
        };
    }

    /** {@return the same by the store of an engine's request, which is one of many in a session, or by that of the session} */
    @SuppressWarnings("deprecation") // computeIfAbsent came with JUnit 6
    static SessionState of(NamespacedHierarchicalStore<Namespace> ofRequest) {
        NamespacedHierarchicalStore<Namespace> store = ofRequest.getParent().orElse(ofRequest);
        return new SessionState() {
            @Override
            public <K, V> V getOrMake(K key, Function<K, V> make, Class<V> type) {
                return store.getOrComputeIfAbsent(Namespace.create(SessionState.class), key, make, type);
            }
        };
    }
}
