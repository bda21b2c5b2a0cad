package org.example.travel;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The legs of a journey, in the order in which they are travelled. */
public final class Itinerary {

    private static final Duration SHORTEST_TRAIN_CHANGE = Duration.ofMinutes(8);
    private static final Duration SHORTEST_FLIGHT_CHANGE = Duration.ofMinutes(55);
    private static final int MAX_LEGS = 12;

    private final String traveller;
    private final List<Leg> legs = new ArrayList<>();

    public Itinerary(String traveller) {
        this.traveller = Objects.requireNonNull(traveller, "traveller");
    }

    public void addTrain(String from, String to, LocalDateTime departs, LocalDateTime arrives) {
        Leg leg = new Leg(Kind.TRAIN, from, to, departs, arrives);
        checkConnection(leg, SHORTEST_TRAIN_CHANGE);
        legs.add(leg);
    }

    public void addFlight(String from, String to, LocalDateTime departs, LocalDateTime arrives) {
        Leg leg = new Leg(Kind.FLIGHT, from, to, departs, arrives);
        checkConnection(leg, SHORTEST_FLIGHT_CHANGE);
        legs.add(leg);
    }

    public void addFerry(String from, String to, LocalDateTime departs, LocalDateTime arrives) {
        Leg leg = new Leg(Kind.FERRY, from, to, departs, arrives);
        checkConnection(leg, Duration.ofMinutes(30)); // boarding closes early
        legs.add(leg);
    }

    public List<Leg> legs() {
        return Collections.unmodifiableList(legs);
    }

    public Optional<LocalDateTime> departure() {
        if (legs.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(legs.get(0).departs);
    }

    public Optional<LocalDateTime> arrival() {
        if (legs.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(legs.get(legs.size() - 1).arrives);
    }

    public Duration travelTime() {
        Duration total = Duration.ZERO;
        for (Leg leg : legs) {
            total = total.plus(Duration.between(leg.departs, leg.arrives));
        }
        return total;
    }

    public Duration waitingTime() {
        Duration total = Duration.ZERO;
        for (int i = 0; i + 1 < legs.size(); i++) {
            total = total.plus(Duration.between(legs.get(i).arrives, legs.get(i + 1).departs));
        }
        return total;
    }

    private void checkConnection(Leg next, Duration shortest) {
        if (legs.size() >= MAX_LEGS) {
            throw new IllegalStateException("an itinerary has at most " + MAX_LEGS + " legs");
        }
        if (legs.isEmpty()) {
            return;
        }
        Leg last = legs.get(legs.size() - 1);
        if (!last.to.equals(next.from)) {
            throw new IllegalArgumentException("from " + last.to + " nothing leads to " + next.from);
        }
        Duration change = Duration.between(last.arrives, next.departs);
        if (change.compareTo(shortest) < 0) {
            throw new IllegalArgumentException("the change at " + last.to + " is too short: " + change);
        }
    }

    @Override
    public String toString() {
        return traveller + ": " + legs.size() + " legs, " + travelTime().toMinutes() + " minutes";
    }

    enum Kind {
        TRAIN,
        FLIGHT,
        FERRY
    }

    static final class Leg {
        final Kind kind;
        final String from;
        final String to;
        final LocalDateTime departs;
        final LocalDateTime arrives;

        Leg(Kind kind, String from, String to, LocalDateTime departs, LocalDateTime arrives) {
            this.kind = kind;
            this.from = from;
            this.to = to;
            this.departs = departs;
            this.arrives = arrives;
        }
    }
}
