import { type ComponentProps, useLayoutEffect, useRef } from "react";

/** A field as high as its text; style sheets bound it. */
export function GrowingField(props: ComponentProps<"textarea"> & { value: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${String(element.scrollHeight)}px`;
  }, [props.value]);
  return <textarea ref={field} rows={1} {...props} />;
}
