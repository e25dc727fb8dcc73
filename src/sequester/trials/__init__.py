"""Verbs that try a method out: attack a release, audit a mechanism's noise, tune its parameters.

They stand beside `flow`, because they run methods on data of their own choosing and hand what comes out to `verify`.
"""
