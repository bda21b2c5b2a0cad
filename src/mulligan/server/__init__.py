"""The server: an HTTP API, frames over a WebSocket, and the page. It starts work and shows it; it decides nothing."""
