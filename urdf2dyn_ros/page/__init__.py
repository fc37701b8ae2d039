"""A robot as one page of HTML that computes and draws it, without a server."""
