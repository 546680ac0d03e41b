"""The match stage: text overlap behind one door (``engine``), on a case (``run``) and without one (``compare``)."""
