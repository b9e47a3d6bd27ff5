"""What this app tells those above it."""

from django.dispatch import Signal

# upload=; inside the transaction from which on a file of it waits to be graded
awaits_verification = Signal()
