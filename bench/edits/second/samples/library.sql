-- Lending library: members, copies, loans and fines.

CREATE TABLE members (
    id          INTEGER PRIMARY KEY,
    full_name   VARCHAR(120) NOT NULL,
    email       VARCHAR(200) NOT NULL UNIQUE,
    joined_on   DATE NOT NULL DEFAULT CURRENT_DATE,
    max_loans   INTEGER NOT NULL DEFAULT 8,  -- children have 4
    blocked     BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE titles (
    id          INTEGER PRIMARY KEY,
    isbn        CHAR(13) NOT NULL UNIQUE,
    title       VARCHAR(300) NOT NULL,
    author      VARCHAR(200) NOT NULL,
    published   INTEGER CHECK (published BETWEEN 1450 AND 2100)
);

CREATE TABLE copies (
    id          INTEGER PRIMARY KEY,
    title_id    INTEGER NOT NULL REFERENCES titles (id),
    shelf       VARCHAR(20) NOT NULL,
    condition   VARCHAR(10) NOT NULL DEFAULT 'good'
);

CREATE TABLE loans (
    id          INTEGER PRIMARY KEY,
    copy_id     INTEGER NOT NULL REFERENCES copies (id),
    member_id   INTEGER NOT NULL REFERENCES members (id),
    lent_on     DATE NOT NULL,
    due_on      DATE NOT NULL,
    returned_on DATE
);

CREATE TABLE fines (
    id          INTEGER PRIMARY KEY,
    loan_id     INTEGER NOT NULL REFERENCES loans (id),
    cents       INTEGER NOT NULL CHECK (cents > 0),
    paid_on     DATE
);

CREATE INDEX loans_by_member ON loans (member_id, returned_on);
CREATE INDEX loans_by_copy ON loans (copy_id, returned_on);
CREATE INDEX copies_by_title ON copies (title_id);

-- Loans that are past their date.
CREATE VIEW overdue AS
SELECT
    loans.id AS loan_id,
    members.full_name,
    members.email,
    titles.title,
    loans.due_on,
    CURRENT_DATE - loans.due_on AS days_late
FROM loans
JOIN members ON members.id = loans.member_id
JOIN copies ON copies.id = loans.copy_id
JOIN titles ON titles.id = copies.title_id
WHERE loans.returned_on IS NULL
  AND loans.due_on < CURRENT_DATE
ORDER BY days_late DESC;

-- Copies that nobody has at the moment.
CREATE VIEW available AS
SELECT
    copies.id AS copy_id,
    titles.title,
    titles.author,
    copies.shelf
FROM copies
JOIN titles ON titles.id = copies.title_id
LEFT JOIN loans ON loans.copy_id = copies.id
  AND loans.returned_on IS NULL
WHERE loans.id IS NULL
  AND copies.condition <> 'lost'
ORDER BY titles.title;

INSERT INTO titles (id, isbn, title, author, published) VALUES
    (1, '9780000000011', 'Maps of the Low Country', 'A. Verhoeven', 1987),
    (2, '9780000000028', 'Salt and Rope', 'J. Okafor', 2003),
    (3, '9780000000035', 'The Quiet Harbour', 'M. Lindqvist', 1961),
    (4, '9780000000042', 'Gardens under Glass', 'P. Moreau', 2015);

INSERT INTO copies (id, title_id, shelf, condition) VALUES
    (1, 1, 'A-12', 'good'),
    (2, 1, 'A-12', 'worn'),
    (3, 2, 'C-03', 'good'),
    (4, 3, 'B-07', 'good'),
    (5, 4, 'D-21', 'new');

UPDATE members
SET blocked = TRUE
WHERE id IN (
    SELECT loans.member_id
    FROM loans
    JOIN fines ON fines.loan_id = loans.id
    WHERE fines.paid_on IS NULL
    GROUP BY loans.member_id
    HAVING SUM(fines.cents) > 2500
);

DELETE FROM fines
WHERE paid_on IS NOT NULL
  AND paid_on < CURRENT_DATE - 730;
