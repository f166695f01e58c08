"""What pages share: widgets, links, case files, the stepper."""
