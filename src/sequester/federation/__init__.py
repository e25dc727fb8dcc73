"""Several sites, one release: questions, answers and sums travel as signed files in a folder. Experimental."""
