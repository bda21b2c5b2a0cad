"""Where the fault is, by what ran: lines that failing tests run and passing ones do not."""
