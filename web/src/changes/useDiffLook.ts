import { useState, useSyncExternalStore } from "react";

export type DiffLook = "inline" | "split";

const KEY = "diff-look";
/** Below this, two columns of code are two columns of scraps. */
const wide = window.matchMedia("(min-width: 60rem)");

interface Chosen {
  look: DiffLook;
  /** Whether there is room to choose. */
  choice: boolean;
  choose: (look: DiffLook) => void;
}

/** How diffs are drawn: as the person chose, where there is room. */
export function useDiffLook(): Chosen {
  const [chosen, setChosen] = useState<DiffLook>(() => (localStorage.getItem(KEY) === "split" ? "split" : "inline"));
  const choice = useSyncExternalStore(onWidth, () => wide.matches);
  return {
    look: choice ? chosen : "inline",
    choice,
    choose: (look) => {
      localStorage.setItem(KEY, look);
      setChosen(look);
    },
  };
}

function onWidth(callback: () => void): () => void {
  wide.addEventListener("change", callback);
  return () => {
    wide.removeEventListener("change", callback);
  };
}
