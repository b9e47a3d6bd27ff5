"""`{% item_url course item %}`: the page of an item, whatever kind it is."""

from __future__ import annotations

from django import template

from softmark.courses.addresses import address_of

register = template.Library()

register.simple_tag(address_of, name="item_url")
