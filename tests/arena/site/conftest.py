"""What all tests of the site have."""

from sites import guest

__all__ = ["guest"]
