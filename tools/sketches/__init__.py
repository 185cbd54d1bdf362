"""Small drawings of the systems of the gallery, as SVG."""
