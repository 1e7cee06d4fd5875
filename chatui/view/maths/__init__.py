"""TeX formulas as Unicode text; what is not understood stays as it is written."""
