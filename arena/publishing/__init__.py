"""Pages and files that others see of tournaments. How they look is in `reports`."""
