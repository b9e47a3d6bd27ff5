"""What this app tells those above it."""

from django.dispatch import Signal

submitted = Signal()  # submission=; inside the transaction that writes it
requeued = Signal()  # submission=; likewise, where one is to be graded again
