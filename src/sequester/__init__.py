"""sequester: publish sequential health data without publishing people."""
