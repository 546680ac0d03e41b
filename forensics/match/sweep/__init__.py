"""The sweep: every response against every other tenant's text, with no hypothesis, at the speed of reading.

Responses are folded into memory and their seeds indexed; all texts are read twice, in order. The first reading counts
how many tenants hold each seed; the second looks up the seeds that two tenants and not too many hold, and extends each
letter by letter. What is long enough goes through the same chains, alignment and spans as the suspects tier.
"""
