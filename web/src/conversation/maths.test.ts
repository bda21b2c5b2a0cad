import { expect, test } from "vitest";

import { keepMaths } from "./maths";

test.each([
  ["the sum \\(x_1 + x_2\\) is", "the sum `x_1 + x_2` is"],
  ["$a_1 b_1$ and $\\alpha$", "`a_1 b_1` and `\\alpha`"],
  ["$$e^{i\\pi} = -1$$", "`e^{i\\pi} = -1`"],
  ["\\[\na_1\nb_1\n\\]", "\n\n```math\na_1\nb_1\n```\n\n"],
  ["it costs $5 or $6", "it costs $5 or $6"],
  ["`$a_1$` and `\\(b\\)`", "`$a_1$` and `\\(b\\)`"],
  ["```sh\necho $a_1$\n```", "```sh\necho $a_1$\n```"],
  ["$HOME/a_b and $PATH_X", "$HOME/a_b and $PATH_X"],
])("%j is shown as %j", (given, shown) => {
  expect(keepMaths(given)).toBe(shown);
});
