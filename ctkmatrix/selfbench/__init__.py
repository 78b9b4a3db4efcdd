"""ctkmatrix measured by itself: ``python -m ctkmatrix.selfbench``, behind `nox -s selfbench`."""
