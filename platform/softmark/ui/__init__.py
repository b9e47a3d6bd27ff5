"""The ground floor: base templates, components, static files."""
