"""What is known of models and their servers: profiles, the probe, discovery, metadata."""
