"""The workbench: a page on this machine on which a custodian sees risk and use side by side.

It uses the public names of the library only. Pages are rendered here, forms work without script, and nothing is ever
requested from anywhere else. Long work runs in a child process per job, so that a stop really stops it.
"""
