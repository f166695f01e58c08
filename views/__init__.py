"""The pages of the app: each reads its inputs, makes a run and draws it."""
