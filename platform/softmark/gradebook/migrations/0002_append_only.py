"""The database itself refuses to change or delete what happened to a grade."""

from django.db import migrations

TRIGGER = """
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON gradebook_event FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('Events of a grade stay as they are: add one that takes it back.')
"""


class Migration(migrations.Migration):

    dependencies = [
        ("gradebook", "0001_initial"),
        ("courses", "0002_append_only"),
    ]

    operations = [
        migrations.RunSQL(TRIGGER, "DROP TRIGGER append_only ON gradebook_event"),
    ]
