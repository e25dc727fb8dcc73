"""The promises: what each says and for whom, how a budget is kept, and where noise comes from."""
