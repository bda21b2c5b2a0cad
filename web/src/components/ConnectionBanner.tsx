import { Icon } from "../icons";
import { useServer } from "../state/server";

/** The page reconnects by itself, and catches up with what it missed. */
export function ConnectionBanner() {
  const connection = useServer((state) => state.connection);
  return (
    <div role="status">
      {connection === "lost" && (
        <p className="banner banner-warning">
          <Icon name="warning" />
          <span>No connection to the server. Trying again. Nothing is lost.</span>
        </p>
      )}
    </div>
  );
}
