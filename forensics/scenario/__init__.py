"""Made-up incidents in real log shapes: a small simulator of prefill/decode serving and the logs its machines write.

``pool`` keeps pages, ``serve`` plays planned exchanges on them, ``voice`` says what foreign pages hold, ``logs`` writes
what was logged, ``truth`` what is to be expected. ``story`` is the door.
"""
