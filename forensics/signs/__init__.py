"""Signs of use: did anybody look for the defect, or make use of it? What was looked for, where, and what was found."""
