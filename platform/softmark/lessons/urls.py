"""Addresses."""

from django.urls import path

from softmark.lessons.views import authoring, lesson, marking, results, revisits

app_name = "lessons"
urlpatterns = [
    path("lessons/<slug:item>/", lesson.lesson, name="lesson"),
    path("lessons/<slug:item>/begin/", lesson.begin, name="begin"),
    path("lessons/<slug:item>/trial/", lesson.trial, name="trial"),
    path("lessons/<slug:item>/variants/", authoring.variants, name="variants"),
    path("lessons/<slug:item>/copy/", authoring.copy, name="copy"),
    path("lessons/<slug:item>/copy/to/", authoring.copy_to, name="copy_to"),
    path("lessons/<slug:item>/settings/", authoring.settings, name="settings"),
    path("lessons/<slug:item>/settings/save/", authoring.set_up, name="set_up"),
    path("add-lesson/", authoring.add, name="add"),
    path("add-lesson/take/", authoring.take, name="take"),
    path("calibration/", results.calibration, name="calibration"),
    path("lessons/<slug:item>/results/", results.lesson, name="results"),
    path("lessons/<slug:item>/results/<slug:stop>/", results.answers, name="answers"),
    path("lessons/<slug:item>/results.csv", results.csv, name="results_csv"),
    path("lessons/<slug:item>/predictions/<slug:stop>/", lesson.predict, name="predict"),
    path("lessons/<slug:item>/predictions/<slug:stop>/draft/", lesson.draft, name="draft"),
    path("lessons/<slug:item>/predictions/<slug:stop>/ideas/", lesson.tick, name="tick"),
    path("lessons/<slug:item>/marking/", marking.predictions, name="marking"),
    path("lessons/<slug:item>/marking/<int:prediction>/", marking.mark, name="mark"),
    path("lessons/<slug:item>/marking/<int:prediction>/save/", marking.save_mark, name="save_mark"),
    path("lessons/<slug:item>/marking/<int:prediction>/take-back/", marking.take_back, name="take_back"),
    path("revisits/", revisits.revisits, name="revisits"),
    path("revisits/<int:draw>/", revisits.revisited, name="revisited"),
    path("revisits/<int:draw>/predict/", revisits.revisit, name="revisit"),
    path("revisits/<int:draw>/draft/", revisits.draft, name="revisit_draft"),
]
