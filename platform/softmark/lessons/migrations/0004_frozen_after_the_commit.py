"""Draws of before have no time at which they were shown: that of their reading is the nearest. And what is said after a
commit is not changed either.
"""

from django.db import migrations

TRIGGERS = """
UPDATE lessons_draw SET shown_at = reading.started_at FROM lessons_reading reading WHERE reading.id = reading_id;

DROP TRIGGER read_to_its_end ON lessons_reading;
CREATE TRIGGER read_to_its_end BEFORE UPDATE ON lessons_reading FOR EACH ROW
WHEN ((OLD.lesson_id, OLD.learner_id, OLD.version_id, OLD.started_at, OLD.trial)
    IS DISTINCT FROM (NEW.lesson_id, NEW.learner_id, NEW.version_id, NEW.started_at, NEW.trial))
EXECUTE FUNCTION softmark_refuse('A lesson is read to its end as it was begun.');

CREATE TRIGGER shown_once BEFORE UPDATE ON lessons_draw FOR EACH ROW
WHEN (OLD.shown_at IS DISTINCT FROM NEW.shown_at)
EXECUTE FUNCTION softmark_refuse('A question is first shown once.');

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON lessons_selfreview FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('What a learner found in their answer stays as it was said.');

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON lessons_staffmark FOR EACH ROW
EXECUTE FUNCTION softmark_refuse('A mark is never changed: the newest one counts.');
"""

NO_TRIGGERS = """
DROP TRIGGER append_only ON lessons_selfreview;
DROP TRIGGER append_only ON lessons_staffmark;
DROP TRIGGER shown_once ON lessons_draw;
DROP TRIGGER read_to_its_end ON lessons_reading;
CREATE TRIGGER read_to_its_end BEFORE UPDATE ON lessons_reading FOR EACH ROW
WHEN ((OLD.lesson_id, OLD.learner_id, OLD.version_id, OLD.started_at)
    IS DISTINCT FROM (NEW.lesson_id, NEW.learner_id, NEW.version_id, NEW.started_at))
EXECUTE FUNCTION softmark_refuse('A lesson is read to its end as it was begun.');
"""


class Migration(migrations.Migration):

    dependencies = [
        ("lessons", "0003_after_the_commit"),
    ]

    operations = [
        migrations.RunSQL(TRIGGERS, NO_TRIGGERS),
    ]
