import { useState, useSyncExternalStore } from "react";

/** `file`: the whole file with the change in place. */
export type DiffLook = "inline" | "split" | "file";

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
  const [chosen, setChosen] = useState<DiffLook>(() => {
    const kept = localStorage.getItem(KEY);
    return kept === "split" || kept === "file" ? kept : "inline";
  });
  const choice = useSyncExternalStore(onWidth, () => wide.matches);
  return {
    look: choice || chosen === "file" ? chosen : "inline",
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
