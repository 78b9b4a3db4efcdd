"""ctkmatrix: what the Python layer of cuda-python costs, over a matrix of toolkits, Pythons and releases."""
