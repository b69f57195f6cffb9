"""What all rooms rest on: options, problems, seeds, errors, files; knows no method and no file format."""
