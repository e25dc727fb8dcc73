"""What the program costs: one script per question, each prints JSON rows."""
