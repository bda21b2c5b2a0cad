"""What every room may use and none owns: small parts that touch the system."""
