"""Files that commands read beside robots: Lagrangians, studies, measurements, meshes."""
