"""The published incident as a world: its deployment, two weeks of traffic, and the logs that its machines left.

``write`` is the door. The figures that were published are the world's boundary conditions (``figures``); who read whose
pages follows from ``forensics.scenario.serve`` and its pools, and what an investigator counts from the logs alone.
"""
