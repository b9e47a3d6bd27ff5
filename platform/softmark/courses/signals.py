"""What this app tells those above it."""

from django.dispatch import Signal

accommodated = Signal()  # accommodation=, at=; inside the transaction that writes it
