import unittest

from shelves import shelf_label, shelf_sign


class ShelvesTest(unittest.TestCase):
    def test_small_numbers(self):
        self.assertEqual(shelf_label(3), "III")
        self.assertEqual(shelf_label(8), "VIII")

    def test_one_before_a_larger_one_is_taken_off(self):
        self.assertEqual(shelf_label(4), "IV")
        self.assertEqual(shelf_label(49), "XLIX")

    def test_large_numbers(self):
        self.assertEqual(shelf_label(1990), "MCMXC")
        self.assertEqual(shelf_label(3999), "MMMCMXCIX")

    def test_a_sign_has_room_and_label(self):
        self.assertEqual(shelf_sign("Maps", 14), "Maps · XIV")


if __name__ == "__main__":
    unittest.main()
