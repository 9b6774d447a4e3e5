"""What people see in a terminal: boards, tables, the live view. Only here is Rich known."""
