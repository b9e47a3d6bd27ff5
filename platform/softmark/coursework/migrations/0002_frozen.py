"""The database itself refuses to change a version of an assignment."""

from django.db import migrations

TRIGGER = """
CREATE TRIGGER never_changed BEFORE UPDATE ON coursework_assignmentversion FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('A version of an assignment is never changed: import a new one.')
"""


class Migration(migrations.Migration):

    dependencies = [
        ("coursework", "0001_initial"),
        ("courses", "0002_append_only"),
    ]

    operations = [
        migrations.RunSQL(TRIGGER, "DROP TRIGGER never_changed ON coursework_assignmentversion"),
    ]
