"""What a notebook's cells call and see: magics, verdicts with buttons, predictions."""
