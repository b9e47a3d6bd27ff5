"""Django's admin under our name."""

from django.contrib import admin

admin.site.site_header = admin.site.site_title = "Softmark"
admin.site.index_title = "Administration"
