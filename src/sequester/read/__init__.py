"""From files and databases to the model. A reader's keyword arguments are the command line's column roles."""
