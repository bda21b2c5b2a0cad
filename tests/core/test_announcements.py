import pytest

from mulligan.core.announcements import announces

ANNOUNCEMENTS = [
    "Let me now update the file.",
    "Let me check the configuration first.",
    "I'll look at the tests.",
    "I will now run the test suite to see what fails.",
    "I'm going to read src/app.py.",
    "I am going to search for the definition of load_config.",
    "Now I'll fix the off-by-one error in `parse`:",
    "Next, I will edit the file to add the missing import.",
    "Okay, let me take a look at the project structure.",
    "Sure! Let me open the file and see what it does.",
    "I need to look at the implementation of the parser first.",
    "First, I need to find where the function is defined.",
    "To fix this, I'll modify the loop condition in one.py.",
    "I found the bug. Let me apply the fix.",
    "The function returns the wrong value. I will correct it now.",
    "I've read the file. Now let me update the function to return 2:",
    "I can see the problem: the index starts at 1. Let me fix that.",
    "Great, the tests pass. Now I will update the documentation.",
    "Let's start by listing the files in the project.",
    "Let's run the tests to confirm.",
    "I'll start by reading the README.",
    "I'll begin by exploring the repository structure:",
    "I'll go ahead and create the file now.",
    "Let me create a new file called `utils.py` with the helper functions.",
    "Let me use the grep tool to find all occurrences.",
    "I'll use `view_file` to read the contents of config.py.",
    "Understood. I'm going to make the change.",
    "Let me try a different approach. I'll search for the class name instead.",
    "Before I change anything, let me look at how it is used.",
    "Let me update the file now. One moment.",
    "I will rewrite the function. This will fix the error.",
    "Now, let's implement the change in `src/shop.py`:",
    "I have enough information. I'll write the fix now.",
    "Running the tests now...",
    "Now updating the configuration:",
    "Checking the imports first.",
    "Since the test fails with a KeyError, I'll look at the dictionary that it uses.",
    "**Next step:** I will add the missing argument.",
    "The edit failed because the text was not found, so let me read the file again.",
    "Based on the error message, I need to check the type of `value` in `convert`.",
    "I'm about to run the linter.",
    "Now that I know the cause, I'll patch `two.py`.",
    "Let me do that.",
    "I'd like to look at the test file first.",
    "We need to fix two places.\n\nLet me start with the first one:",
    "Here is my plan:\n1. Read the file.\n2. Fix the bug.\n\nLet me begin by reading the file.",
    "It seems that `total` is never reset. I will move the assignment into the loop.",
    "Let me double-check the line numbers.",
]

ANSWERS = [
    "It is in one.py.",
    "Done. The function now returns 2, and all tests pass.",
    "I've updated the file. Let me know if you want anything else changed.",
    "I fixed the bug in `parse`. Let me know whether the tests pass on your machine.",
    "The bug is in line 12.\n\nLet me know if you'd like me to fix it.",
    "If you want, I'll add a test for this as well.",
    "I'll add more tests if you like.",
    "I can run the tests for you. Should I?",
    "Shall I update the documentation too?",
    "Would you like me to apply this change?",
    "Which of the two files do you mean?",
    "Do you want me to delete the old file, or should I keep it?",
    "I will need to know which database you use before I can go on. Which one is it?",
    "I'll wait for your confirmation before I delete anything.",
    "Once you have confirmed, I will remove the branch.",
    "I will proceed with the migration as soon as you give me your approval.",
    "I'll run the tests after you have installed the dependencies.",
    "I can't run commands here, so I could not test it.",
    "I was not able to update the file: permission was denied.",
    "I need to write to `/etc/hosts` for that, but I cannot: it is outside of the project.",
    "I'll keep that in mind.",
    "I'll use tabs from now on.",
    "Next time I will run the linter before I answer.",
    "The next steps are up to you: run the tests, then deploy.",
    "You should now run `make test` to check it.",
    "You will need to update the configuration by hand.",
    "Next, run `npm install` and start the server.",
    "To fix it, change line 3 to `return 2`.",
    "The function will check the cache first and then read the file.",
    "The script will now create the folder by itself.",
    "In the next release we will remove the old API.",
    "The plan: first the parser is rewritten, then the tests are updated.",
    "There are two options. I would choose the first, since it changes less.",
    "Let me explain: the loop ends one step too early, so the last item is lost.",
    "In short: the cache is never invalidated. That is why you see old data.",
    "I'll leave the second file as it is, because nothing uses it.",
    "I should note that the tests take about a minute.",
    "I will not change the public interface.",
    "Please send me the error message, then I will look at it.",
    "I hope this helps! I'm happy to look at other files if needed.",
    "The file has three functions:\n- `a` reads the file\n- `b` checks it\n- `c` writes it",
    "Here is the change:\n\n```python\ndef one():\n    return 2\n```",
    "I will change it like this:\n\n```python\nreturn 2\n```",
    "I applied the change and ran the tests: 12 passed.",
    "Hello! How can I help you today?",
    "I'm going to stop here, since the budget of steps is used up.",
    "The tests check that `add` returns the sum.",
    "Reading the file takes most of the time, because it is read line by line.",
    "I have looked at all files and found nothing that calls it.",
    "Adding an index would make it faster.",
    "I'll help you with that whenever you are ready.",
    "No, the function does not write the file; it only reads it.",
    "As you asked, I did not run anything. I will do so when you tell me to.",
    "This will delete the folder. I'll do it only after you confirm.",
]  # fmt: skip


FRESH_ANNOUNCEMENTS = [
    "Let me see what's in the src directory.",
    "I'll implement this by adding a new method to the class.",
    "Alright, I'll get started on the refactoring.",
    "Let me fetch the contents of package.json:",
    "I will examine the stack trace more closely.",
    "Now let me write the unit tests for it.",
    "Let me verify by running pytest.",
    "I'm now going to replace the deprecated call.",
    "I'll need to inspect `models.py` to understand the schema.",
    "OK — I'll rename the variable across the project.",
    "Looking at the file now...",
    "I want to check one more thing before answering.",
    "Perfect. Let me also update the changelog.",
    "So the problem is in the regex; I'll adjust it.",
    "Let me put the constant into its own module.",
    "Now I understand the issue. I'll fix it.",
    "Let me look into this.",
    "I will go through the files one by one.",
    "I'll make these changes now:",
    "Let me get the list of failing tests.",
]
FRESH_ANSWERS = [
    "I'll be glad to help further.",
    "The change is small; I'd suggest testing it on staging.",
    "You can let me run it again at any time.",
    "We will see an error if the file is missing.",
    "I made three edits and the build is green.",
    "Both functions need to check for None.",
    "Let me summarize: two bugs were fixed, one remains open.",
    "I'd recommend that we use a queue here.",
    "I will be brief: no.",
    "I need to stress that this deletes data.",
    "Time to first byte is 30 ms.",
    "Let's say the input is empty; then it returns 0.",
    "I have to admit that I don't know.",
    "I'll assume Python 3.11 unless told otherwise.",
    "What should I look at next?",
    "Tests: 14 passed. I will leave the branch as is.",
    "I want to point out that the key is committed in the repository.",
    "Thanks, I will remember it.",
    "The parser reads the header, then I/O happens lazily.",
    "I have to use a workaround here: the API is not public.",
    "It will then write the file.",
    "Let us assume n > 0.",
    "I had to change two tests, since they tested the old behaviour.",
    "I will describe the flow: request, handler, response.",
    "I need to see the log to say more. Can you paste it?",
]
"""The rules were not fitted to these."""


@pytest.mark.parametrize("text", ANNOUNCEMENTS)
def test_an_announcement_is_told(text: str) -> None:
    assert announces(text)


def test_most_announcements_come_after_other_text_too() -> None:
    assert all(announces(f"The project has two files.\n\n{text}") for text in ANNOUNCEMENTS)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_honest_answer_is_no_announcement(text: str) -> None:
    assert not announces(text)


def test_texts_that_the_rules_were_not_fitted_to_are_told_apart() -> None:
    assert sum(map(announces, FRESH_ANNOUNCEMENTS)) >= 19
    assert not any(map(announces, FRESH_ANSWERS))


def test_enough_texts_of_both_kinds_are_tried() -> None:
    assert min(len(ANNOUNCEMENTS), len(ANSWERS)) >= 40


@pytest.mark.parametrize("unit", ["let me ", "to a, ", "i will now ", "the x ", "\n", "now ", "- ", "before "])
def test_text_made_to_be_read_in_many_ways_is_read_in_time(unit: str) -> None:
    assert not announces(unit * 100_000)
