"""Text for people: sentences, help, tables, reports. Pure."""
