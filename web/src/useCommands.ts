import { useEffect } from "react";
import { useLocation } from "wouter";

import { type Shown, routes } from "./routes";
import { type Command, commandFor, takesLetters } from "./shortcuts";

/** How long `g` waits for the next key. */
const LEADER_LASTS = 1_500;

/** Keys that work everywhere. The focused element comes first: a key that it handled does not arrive here. */
export function useCommands({ projectId }: Shown, open: (what: "palette" | "help") => void): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let leaderAt = -Infinity;

    const carryOut = (command: Command) => {
      if (command === "palette" || command === "help") open(command);
      else if (command === "compose") document.querySelector<HTMLElement>(".composer textarea")?.focus();
      else navigate(command === "new" ? routes.project(projectId) : routes[command](projectId));
    };

    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const afterLeader = event.timeStamp - leaderAt < LEADER_LASTS;
      leaderAt = -Infinity;
      const command = commandFor(event, takesLetters(document.activeElement), afterLeader);
      if (!command) return;
      event.preventDefault();
      if (command === "leader") leaderAt = event.timeStamp;
      else carryOut(command);
    };

    window.addEventListener("keydown", press);
    return () => {
      window.removeEventListener("keydown", press);
    };
  }, [projectId, open, navigate]);
}
