from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("courses", "0002_append_only")]

    operations = [
        migrations.AlterField(
            model_name="item",
            name="kind",
            field=models.CharField(
                choices=[("assignment", "assignment"), ("lesson", "lesson")], default="assignment", max_length=20
            ),
        ),
    ]
