"""What several methods of this family use."""
