"""The equations of a serial arm by screws."""
