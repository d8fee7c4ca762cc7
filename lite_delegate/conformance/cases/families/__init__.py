"""Cases that several operators share, made from what differs between them."""
