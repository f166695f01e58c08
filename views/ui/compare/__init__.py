"""What the Compare page is made of: columns, their runs, table of fields, locked steppers, ranking, cost."""
