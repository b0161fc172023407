package io.github.latencybudget;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.INTERFACES;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Date;
import org.apiguardian.api.API;
import org.junit.jupiter.api.Test;

final class ModelArchitectureTest {

    private static final String ROOT = "io.github.latencybudget.";
    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.github.latencybudget");

    @Test
    void theModelKnowsNoLibrary() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + "trace", ROOT + "metric", ROOT + "budget", ROOT + "baseline")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.junit..",
                        "ai.djl..",
                        "org.assertj..",
                        "com.fasterxml.jackson..",
                        "com.fasterxml..",
                        "org.HdrHistogram..")
                .because("a measurement has to be judged the same by a test, the command line and a report")
                .check(MAIN);
    }

    /** Case 27: a wall clock that steps back changes nothing that is measured, for nobody reads one. */
    @Test
    void theModelReadsNoWallClock() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + "trace", ROOT + "metric", ROOT + "budget")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.time\\.(Instant|Clock|LocalDateTime|LocalTime|ZonedDateTime|OffsetDateTime)")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Date.class)
                .orShould()
                .callMethod(LocalDate.class, "now")
                .orShould()
                .callMethod(LocalDate.class, "now", ZoneId.class)
                .check(MAIN);
    }

    @Test
    void eachPackageDependsOnlyOnThoseBeforeIt() {
        dependsOnlyOn("trace");
        dependsOnlyOn("metric", "trace");
        dependsOnlyOn("budget", "metric", "trace");
        dependsOnlyOn("baseline", "budget", "metric", "trace");
    }

    @Test
    void whatIsPublicSaysHowStableItIs() {
        classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .should()
                .beAnnotatedWith(API.class)
                .check(MAIN);
    }

    @Test
    void whatIsNotPublicIsNotMadeToBeExtended() {
        classes()
                .that()
                .areNotPublic()
                .and(not(INTERFACES))
                .and(not(assignableTo(Enum.class)))
                .and(not(modifier(JavaModifier.ABSTRACT)))
                .and()
                .areTopLevelClasses()
                .and()
                .haveNameNotMatching(".*package-info")
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(MAIN);
    }

    private static void dependsOnlyOn(String name, String... before) {
        String[] allowed = new String[before.length + 1];
        allowed[0] = ROOT + name;
        for (int i = 0; i < before.length; i++) {
            allowed[i + 1] = ROOT + before[i];
        }
        noClasses()
                .that()
                .resideInAPackage(ROOT + name)
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("io.github.latencybudget..").and(not(resideInAnyPackage(allowed))))
                .check(MAIN);
    }
}
