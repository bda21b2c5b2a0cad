import { Icon } from "../icons";
import { useChat } from "../state/chat";
import { useServer } from "../state/server";
import { isStale } from "../state/stale";
import { useNow } from "../useNow";

export function StaleBanner({ chatId }: { chatId: string }) {
  const state = useChat(chatId);
  const connected = useServer((server) => server.connection === "open");
  const now = useNow(5_000);
  // A lost connection has its own banner, and explains the silence.
  const stale = state && connected && isStale(state, now);
  return (
    <div role="status">
      {stale && (
        <p className="banner banner-quiet">
          <Icon name="clock" />
          <span>Nothing from the model for 60 s. It may still be reading.</span>
        </p>
      )}
    </div>
  );
}
