import { type ComponentProps, type RefObject, useLayoutEffect, useRef } from "react";

interface Props extends Omit<ComponentProps<"textarea">, "ref"> {
  value: string;
  field?: RefObject<HTMLTextAreaElement | null>;
}

/** A field that grows with its text, up to a limit in CSS. */
export function GrowingField({ field: given, ...props }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  const field = given ?? own;
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${String(element.scrollHeight)}px`;
  }, [field, props.value]);
  return <textarea ref={field} rows={1} {...props} />;
}
