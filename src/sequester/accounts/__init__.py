"""The account: what all releases of the same people cost and tell together. It belongs to the custodian alone.

One SQLite file beside the private folders holds, for every release, its promise, what it spent and whom it contains.
People are stored as keyed hashes; the key lies in a file of its own, so that the account without the key names nobody.

    reserve → draw → stage → judge → `about_to_publish` → swap in → published

A reservation counts as spent while its process lives. After a kill it is settled by what can be seen: if the bundle it
announced is there, the release was published; if not, nothing was handed out and nothing is charged.
"""

from sequester.accounts.account import Account
from sequester.accounts.opening import has_account, open_account, settle_account
from sequester.accounts.reservation import Reservation

__all__ = ["Account", "Reservation", "has_account", "open_account", "settle_account"]
