"""What this app tells those above it."""

from django.dispatch import Signal

committed = (
    Signal()
)  # prediction=, stops=, their ids in the lesson's order; inside the transaction that writes it
marked = Signal()  # mark=, a StaffMark; inside the transaction that writes it
