"""Active questions to a deployment of one's own: shared prefix caches (T1), canaries in another's answers (T2).

The only part of the product that opens a connection to an endpoint, and only when asked to by ``forensics probe``.
"""
