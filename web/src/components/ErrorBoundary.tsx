import { Component, type ReactNode } from "react";

import { Button } from "./Button";

/** A view that crashes leaves the rest of the page intact. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="page-alone" role="alert">
        <h1>This view crashed</h1>
        <p>{error instanceof Error ? error.message : "The browser gives no reason."}</p>
        <p>Nothing is lost: the server has all messages and changes.</p>
        <Button
          look="primary"
          onClick={() => {
            this.setState({ error: null });
          }}
        >
          Reload it
        </Button>
      </div>
    );
  }
}
