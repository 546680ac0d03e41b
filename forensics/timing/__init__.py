"""Prefix-cache timing (T1): do first uses of a prefix that others had sent before look as if it had been cached?"""
