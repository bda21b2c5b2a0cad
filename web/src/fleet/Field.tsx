import { type ComponentProps, useId } from "react";

/** A text field with its label. */
export function Field({ label, hint, ...rest }: ComponentProps<"input"> & { label: string; hint: string }) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input id={id} className="field" autoComplete="off" aria-describedby={`${id}-hint`} {...rest} />
      <p id={`${id}-hint`} className="view-quiet">
        {hint}
      </p>
    </>
  );
}
