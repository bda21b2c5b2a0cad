"""What is known about models and their servers: profiles, the probe, discovery, metadata."""
