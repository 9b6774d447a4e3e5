"""The command line: thin over the library, a module for each group of commands."""
