package io.github.latencybudget;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.trace.Measurement;
import org.apiguardian.api.API;
import org.junit.jupiter.api.Test;

/** The walls between the packages of all modules. */
class ArchitectureTest {

    private static final String ROOT = "io.github.latencybudget.";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.github.latencybudget");

    @Test
    void theLoadKnowsTargetsByTheirInterfacesOnly() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "load..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        ROOT + "llama..",
                        ROOT + "openai..",
                        ROOT + "junit..",
                        ROOT + "report..",
                        "ai.djl..",
                        "java.net.http..",
                        "io.netty..",
                        "org.junit..")));
    }

    /** Case 27: a wall clock that steps back changes nothing that is measured, for nobody reads one. */
    @Test
    void whoeverMeasuresReadsNoWallClock() {
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT + "load..", ROOT + "inference..", ROOT + "llama..", ROOT + "openai..", ROOT + "device..")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.time\\.(Instant|Clock|LocalDate.*|LocalTime|ZonedDateTime|OffsetDateTime)"));
    }

    @Test
    void aTargetKnowsTheSpiAndDevicesAndNothingAbove() {
        check(noClasses()
                .that()
                .resideInAnyPackage(ROOT + "inference..", ROOT + "llama..", ROOT + "openai..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        ROOT + "junit..",
                        ROOT + "report..",
                        ROOT + "load..",
                        ROOT + "budget..",
                        ROOT + "record..",
                        ROOT + "assertj..",
                        "org.junit..",
                        "org.assertj..")));
    }

    @Test
    void theSpiKnowsNoTarget() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "inference")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        ROOT + "llama..",
                        ROOT + "openai..",
                        ROOT + "device..",
                        "ai.djl..",
                        "io.netty..",
                        "com.fasterxml.jackson..")));
    }

    @Test
    void targetsDoNotKnowOneAnother() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "llama..")
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + "openai..")));
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "openai..")
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + "llama..")));
    }

    @Test
    void onlyTheEndpointKnowsTheNetwork() {
        check(noClasses()
                .that(not(resideInAnyPackage(ROOT + "openai..", ROOT + "scripted..")))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.netty..", "java.net.http..")));
    }

    @Test
    void devicesKnowNothingOfTheProject() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "device..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.github.latencybudget..").and(not(resideInAPackage(ROOT + "device..")))));
    }

    @Test
    void theReportIsMadeFromRecordsAlone() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "report..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        ROOT + "junit..",
                        ROOT + "inference..",
                        ROOT + "llama..",
                        ROOT + "openai..",
                        ROOT + "load..",
                        ROOT + "device..",
                        "ai.djl..",
                        "org.junit..")));
    }

    @Test
    void aPolicyIsReadWithoutKnowingWhatRunsIt() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "policy..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        ROOT + "junit..",
                        ROOT + "inference..",
                        ROOT + "llama..",
                        ROOT + "openai..",
                        ROOT + "device..",
                        ROOT + "report..",
                        ROOT + "record..")));
        check(noClasses()
                .that(not(resideInAPackage(ROOT + "policy..")))
                .should()
                .dependOnClassesThat(resideInAPackage("org.snakeyaml..")));
    }

    @Test
    void onlyTheJunitPackageKnowsJunit() {
        check(noClasses()
                .that(not(resideInAPackage(ROOT + "junit..")))
                .should()
                .dependOnClassesThat(resideInAPackage("org.junit..")));
    }

    /** Two evaluations of one run can differ; a record, a report and a test that disagree cannot be signed off. */
    @Test
    void aGateIsJudgedInOnePlace() {
        check(noClasses()
                .that(resideInAnyPackage(ROOT + "junit..", ROOT + "report..", ROOT + "load..")
                        .and(not(simpleName("Judge"))))
                .should()
                .callMethod(Budget.class, "evaluate", Measurement.class)
                .orShould()
                .dependOnClassesThat(resideInAPackage(ROOT + "assertj..")));
    }

    @Test
    void everythingPublicSaysHowStableItIs() {
        check(classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and()
                .resideInAPackage("io.github.latencybudget..")
                .should()
                .beAnnotatedWith(API.class));
    }

    @Test
    void everythingElseIsFinal() {
        check(classes()
                .that()
                .areNotPublic()
                .and()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .doNotHaveModifier(JavaModifier.ABSTRACT)
                .and()
                .areTopLevelClasses()
                .and(not(resideInAPackage("io.github.latencybudget.assertj..")))
                .should()
                .haveModifier(JavaModifier.FINAL));
    }

    private static void check(ArchRule rule) {
        rule.check(CLASSES.that(isOfThisProject()));
    }

    private static DescribedPredicate<JavaClass> isOfThisProject() {
        return resideInAPackage("io.github.latencybudget..");
    }
}
