"""The precision of exported numbers: types, literals and checks of double and of single."""
