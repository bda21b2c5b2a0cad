"""The Protocols through which packages use each other, one module per topic. `app` provides the implementations."""
