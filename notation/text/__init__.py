"""The text of records, in and out, by grammar.lark. Nothing here plays a move."""
