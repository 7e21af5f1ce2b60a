"""Names, addresses and phone numbers of businesses, so that two spellings of one are the same."""
