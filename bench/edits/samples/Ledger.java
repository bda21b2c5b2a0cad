package org.example.ledger;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Accounts and what was booked on them. Nothing is ever changed:
 * a mistake is booked back.
 */
public final class Ledger {

    private static final int LARGEST_PAGE = 200;
    private static final BigDecimal NOTHING = BigDecimal.ZERO;

    private final Map<String, Account> accounts = new HashMap<>();
    private final List<Entry> entries = new ArrayList<>();
    private final String currency;

    public Ledger(String currency) {
        if (currency == null || currency.length() != 3) {
            throw new IllegalArgumentException("a currency has three letters: " + currency);
        }
        this.currency = currency;
    }

    public Account open(String number, String owner) {
        if (accounts.containsKey(number)) {
            throw new IllegalStateException("account " + number + " is open");
        }
        Account account = new Account(number, owner, LocalDate.now());
        accounts.put(number, account);
        return account;
    }

    public Entry transfer(String from, String to, BigDecimal amount, String purpose) {
        Account source = require(from);
        Account target = require(to);
        // Booking nothing, or backwards, is always a mistake.
        if (amount.signum() <= 0) {
            throw new IllegalArgumentException("the amount must be positive");
        }
        if (source.balance().compareTo(amount) < 0 && !source.mayOverdraw()) {
            throw new InsufficientFunds(from, amount);
        }

        Entry entry = new Entry(entries.size() + 1, from, to, amount, purpose);
        source.withdraw(amount);
        target.deposit(amount);
        entries.add(entry);
        return entry;
    }

    public Optional<Entry> find(int id) {
        if (id < 1 || id > entries.size()) {
            return Optional.empty();
        }
        return Optional.of(entries.get(id - 1));
    }

    public List<Entry> page(int number, int size) {
        int limit = Math.min(size, LARGEST_PAGE);
        int start = number * limit;
        if (start >= entries.size()) {
            return Collections.emptyList();
        }
        int end = Math.min(start + limit, entries.size()); // exclusive
        return Collections.unmodifiableList(entries.subList(start, end));
    }

    public BigDecimal total() {
        BigDecimal sum = NOTHING;
        for (Account account : accounts.values()) {
            sum = sum.add(account.balance());
        }
        return sum;
    }

    public String statement(String number) {
        Account account = require(number);
        StringBuilder text = new StringBuilder();
        text.append("Account ").append(account.number()).append('\n');
        text.append("Owner   ").append(account.owner()).append('\n');
        for (Entry entry : entries) {
            boolean outgoing = entry.from().equals(number);
            if (!outgoing && !entry.to().equals(number)) {
                continue;
            }
            text.append(entry.date()).append("  ");
            text.append(outgoing ? "-" : "+").append(entry.amount());
            text.append(' ').append(currency).append("  ");
            text.append(entry.purpose()).append('\n');
        }
        return text.toString();
    }

    private Account require(String number) {
        Account account = accounts.get(number);
        if (account == null) {
            throw new IllegalArgumentException("there is no account " + number);
        }
        return account;
    }

    /** Thrown when an account would fall below what it may. */
    public static final class InsufficientFunds extends RuntimeException {
        private final String account;
        private final BigDecimal missing;

        InsufficientFunds(String account, BigDecimal missing) {
            super("not enough on " + account);
            this.account = account;
            this.missing = missing;
        }

        public String account() {
            return account;
        }

        public BigDecimal missing() {
            return missing;
        }
    }
}
