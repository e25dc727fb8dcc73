"""The contract suite: what every method owes its users, whoever wrote it. It needs pytest.

    python -m sequester.contract METHOD

runs it on one registered method, with the parameters of its `example` on the sample of its kind of data. The house runs
it over all of its own. Each file asks about one thing: the promise and its judge, the bundle and what is made of it,
the words, the noise.
"""
