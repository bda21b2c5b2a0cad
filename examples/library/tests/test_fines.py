import unittest
from datetime import date

from fines import days_late, fine, reminder

DUE = date(2026, 3, 1)


class FinesTest(unittest.TestCase):
    def test_on_time_costs_nothing(self):
        self.assertEqual(fine(DUE, date(2026, 3, 1)), 0.0)

    def test_the_first_days_are_free(self):
        self.assertEqual(fine(DUE, date(2026, 3, 4)), 0.0)

    def test_further_days_cost(self):
        self.assertEqual(fine(DUE, date(2026, 3, 8)), 1.0)

    def test_there_is_a_most(self):
        self.assertEqual(fine(DUE, date(2026, 12, 1)), 10.0)

    def test_early_is_not_late(self):
        self.assertEqual(days_late(DUE, date(2026, 2, 20)), 0)

    def test_a_reminder_tells_the_cost(self):
        self.assertEqual(
            reminder("Emma", DUE, date(2026, 3, 8)),
            "Emma is 7 days late. So far this costs 1.00.",
        )


if __name__ == "__main__":
    unittest.main()
