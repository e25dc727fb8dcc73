"""The contract suite's plugin, so that its tests find their methods."""

pytest_plugins = ("sequester.contract.plugin",)
