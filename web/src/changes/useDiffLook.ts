import { useState, useSyncExternalStore } from "react";

/** `file`: the whole file with the change in it. */
export type DiffLook = "inline" | "split" | "file";

const KEY = "diff-look";
/** Below this width, two columns are too narrow for code. */
const wide = window.matchMedia("(min-width: 60rem)");

interface Chosen {
  look: DiffLook;
  /** Whether there is room for two columns. */
  choice: boolean;
  choose: (look: DiffLook) => void;
}

/** How diffs are drawn: the user's choice, if there is room. */
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
