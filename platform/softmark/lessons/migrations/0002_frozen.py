"""The database itself refuses to change what was imported, drawn and predicted."""

from django.db import migrations

TRIGGERS = """
CREATE TRIGGER never_changed BEFORE UPDATE ON lessons_lessonversion FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('A version of a lesson is never changed: import a new one.');

CREATE TRIGGER read_to_its_end BEFORE UPDATE ON lessons_reading FOR EACH ROW
WHEN ((OLD.lesson_id, OLD.learner_id, OLD.version_id, OLD.started_at)
    IS DISTINCT FROM (NEW.lesson_id, NEW.learner_id, NEW.version_id, NEW.started_at))
EXECUTE FUNCTION softmark_refuse('A lesson is read to its end as it was begun.');

CREATE TRIGGER frozen BEFORE UPDATE ON lessons_draw FOR EACH ROW
WHEN ((OLD.reading_id, OLD.question, OLD.number, OLD.given, OLD.facts, OLD.key, OLD.mistakes, OLD.reference_version)
    IS DISTINCT FROM
    (NEW.reading_id, NEW.question, NEW.number, NEW.given, NEW.facts, NEW.key, NEW.mistakes, NEW.reference_version))
EXECUTE FUNCTION softmark_refuse('What was drawn is frozen when it is first shown; only its draft changes.');

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON lessons_prediction FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('The first prediction counts, and stays as it was made.');
"""

NO_TRIGGERS = """
DROP TRIGGER never_changed ON lessons_lessonversion;
DROP TRIGGER read_to_its_end ON lessons_reading;
DROP TRIGGER frozen ON lessons_draw;
DROP TRIGGER append_only ON lessons_prediction;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("lessons", "0001_initial"),
        ("courses", "0002_append_only"),
    ]

    operations = [
        migrations.RunSQL(TRIGGERS, NO_TRIGGERS),
    ]
