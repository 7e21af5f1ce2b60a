"""The files of a new project, as `swather init` writes them."""
