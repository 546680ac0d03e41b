"""The match stage: text overlap behind one door (``engine``), its use on a case (``run``) and without one (``compare``)."""
