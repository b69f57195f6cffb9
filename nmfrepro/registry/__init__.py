"""What there is by name: the package's own folders, and the plug-ins beside them."""
