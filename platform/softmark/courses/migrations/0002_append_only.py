"""The database itself refuses to change what may only be added to."""

from django.db import migrations

# For other apps as well: a trigger names the operations, and its argument says what to do instead.
# 23000 is an integrity error, which is what Django raises for it.
FUNCTION = """
CREATE FUNCTION softmark_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % %: refused. %', TG_OP, TG_TABLE_NAME, OLD.id, TG_ARGV[0] USING ERRCODE = '23000';
END
$$
"""

TRIGGERS = """
CREATE TRIGGER never_changed BEFORE UPDATE ON courses_schedule FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('Schedules are never changed: add a new one, the newest counts.');
CREATE TRIGGER never_changed BEFORE UPDATE ON courses_extension FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('Extensions are never changed: add a new one, the newest counts.');
"""

NO_TRIGGERS = """
DROP TRIGGER never_changed ON courses_schedule;
DROP TRIGGER never_changed ON courses_extension;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("courses", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION softmark_refuse()"),
        migrations.RunSQL(TRIGGERS, NO_TRIGGERS),
    ]
