/** Light, dark, or the system's setting. Stored in this browser. */
import { useSyncExternalStore } from "react";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const KEY = "theme";
const SYSTEM_DARK = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
  listeners.forEach((listener) => {
    listener();
  });
}

export function useTheme(): Theme {
  return useSyncExternalStore(listen, chosenTheme);
}

/** Whether the page is dark now, by choice or by the system's setting. */
export function useDark(): boolean {
  const theme = useTheme();
  const system = useSyncExternalStore(listenToSystem, () => SYSTEM_DARK.matches);
  return theme === "system" ? system : theme === "dark";
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
}

function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return themes.find((each) => each === kept) ?? "system";
}

function listenToSystem(listener: () => void): () => void {
  SYSTEM_DARK.addEventListener("change", listener);
  return () => {
    SYSTEM_DARK.removeEventListener("change", listener);
  };
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab may change it too.
  const fromElsewhere = () => {
    applyTheme();
    listener();
  };
  window.addEventListener("storage", fromElsewhere);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", fromElsewhere);
  };
}
