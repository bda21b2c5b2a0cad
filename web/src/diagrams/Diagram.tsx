import address from "virtual:diagram-page";

import { type ReactNode, useEffect, useRef, useState } from "react";

import { CodeBlock } from "../conversation/CodeBlock";
import { useDark } from "../theme";
import { diagramName, type DrawRequest, readFrameMessage } from "./protocol";

/** A diagram at this distance from the screen is already drawn. */
const AHEAD = "200px";

interface Props {
  source: string;
  /** The source as code. */
  children: ReactNode;
}

/** A diagram once it is drawn; until then, and if it can't be drawn, its source. */
export function Diagram({ source, children }: Props) {
  const [height, setHeight] = useState<number | null>(null);
  const [failed, setFailed] = useState(false);
  const [asSource, setAsSource] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const near = useNear(container);
  const drawn = height !== null && !failed;
  return (
    <CodeBlock
      language="mermaid"
      words={failed ? "mermaid diagram, as text: it could not be drawn" : "mermaid diagram"}
      hidden={drawn && !asSource}
      action={
        drawn && (
          <button
            type="button"
            className="text-button"
            onClick={() => {
              setAsSource(!asSource);
            }}
          >
            {asSource ? "Show diagram" : "Show source"}
          </button>
        )
      }
      before={
        <div ref={container} className={drawn && !asSource ? undefined : "diagram-unseen"}>
          {near && !failed && (
            <Frame
              source={source}
              height={height}
              onDrawn={setHeight}
              onFailed={() => {
                setFailed(true);
              }}
            />
          )}
        </div>
      }
    >
      {children}
    </CodeBlock>
  );
}

interface FrameProps {
  source: string;
  height: number | null;
  onDrawn: (height: number) => void;
  onFailed: () => void;
}

/** It may run its own script and nothing else: it has no origin, so neither cookies nor access to this page. */
function Frame({ source, height, onDrawn, onFailed }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(false);
  const dark = useDark();
  useEffect(() => {
    const listen = (event: MessageEvent) => {
      if (event.source === null || event.source !== frame.current?.contentWindow || event.origin !== "null") return;
      const message = readFrameMessage(event.data);
      if (message?.type === "ready") setReady(true);
      if (message?.type === "drawn") onDrawn(message.height);
      if (message?.type === "failed") onFailed();
    };
    window.addEventListener("message", listen);
    return () => {
      window.removeEventListener("message", listen);
    };
  }, [onDrawn, onFailed]);
  useEffect(() => {
    const request: DrawRequest = { source, dark };
    // A frame without an origin can't be addressed by one; the policy lets no frame but ours be in its place.
    if (ready) frame.current?.contentWindow?.postMessage(request, "*");
  }, [ready, source, dark]);
  return (
    <iframe
      ref={frame}
      className="diagram-frame"
      src={address}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      title={diagramName(source)}
      height={height ?? 1}
    />
  );
}

/** Whether the element is or was near the screen. */
function useNear(container: React.RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !container.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { rootMargin: AHEAD },
    );
    observer.observe(container.current);
    return () => {
      observer.disconnect();
    };
  }, [near, container]);
  return near;
}
