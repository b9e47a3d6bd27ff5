"""The pages of lessons, and what is sent from them."""
