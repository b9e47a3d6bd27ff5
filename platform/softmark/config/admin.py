"""Django's admin under our name."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin

admin.site.site_header = admin.site.site_title = "Softmark"
admin.site.index_title = "Administration"
# By the site's own sign-in, which counts wrong passwords; Django's would let anybody try for ever.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
