"""Laws with modes: contacts, impacts, sticking friction."""
