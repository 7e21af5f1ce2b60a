"""Tables of PDF files, which are read in a process of their own."""
