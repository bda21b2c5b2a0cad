import { type ReactNode, useEffect, useRef, useState } from "react";

/** A table that scrolls sideways, also by keyboard, and fades at the edges where it continues. */
export function MarkdownTable({ children }: { children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState("");
  const look = () => {
    if (frame.current) setMore(active(frame.current));
  };
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      setMore(active(element));
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  const reachable = more ? { tabIndex: 0, role: "region", "aria-label": "Table, wider than the page" } : {};
  return (
    <div ref={frame} className="markdown-table" data-more={more} onScroll={look} {...reachable}>
      <table>{children}</table>
    </div>
  );
}

/** "left", "right" or both; half pixels don't count. */
function active({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string {
  const left = scrollLeft > 1;
  const right = scrollLeft + clientWidth < scrollWidth - 1;
  return [left && "left", right && "right"].filter(Boolean).join(" ");
}
