"""What this app tells those above it."""

from django.dispatch import Signal

committed = Signal()  # prediction=; inside the transaction that writes it
